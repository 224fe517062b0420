import { undividedSubject, usagePartitions, usageSubject } from "@uag/contract/messages/usage-subjects";
import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "nats";

/** The messages that one durable consumer delivers. */
export interface Source {
  readonly consumer: string;
  readonly subject: string;
}

export interface StreamNames {
  readonly usage: string;
  readonly dead: string;
  readonly deadSubject: string;
  /** Messages of replicas older than partitions, and those replayed from the dead letters. */
  readonly undivided: Source;
  readonly partitions: readonly Source[];
}

export function streamNames(prefix: string): StreamNames {
  return {
    usage: `${prefix}USAGE`,
    dead: `${prefix}USAGE_DEAD`,
    deadSubject: `${prefix}usage.v1.dead`,
    undivided: { consumer: `${prefix}metering`, subject: undividedSubject(prefix) },
    partitions: Array.from({ length: usagePartitions }, (_, partition) => ({
      consumer: `${prefix}metering-${partition}`,
      subject: usageSubject(prefix, partition),
    })),
  };
}

export interface TopologyOptions {
  readonly names: StreamNames;
  readonly replicas: number;
  readonly maxBytes: number;
  readonly maxAgeHours: number;
  /** An unacknowledged message is redelivered after this, e.g. when its process died. */
  readonly ackWaitMs: number;
  readonly made: (stream: string) => void;
}

const streamNotFound = 10_059;
/** It exists with different settings. */
const consumerDiffers = 10_148;
const hourMs = 3_600_000;
const deadDays = 30;
const deadMaxBytes = 1024 ** 3;
const maxAckPending = 1_024;

/**
 * Creates missing streams and updates differing settings. Streams refuse messages beyond their
 * limits: publishers then keep them. The undivided consumer is set up here too: while it has no
 * subject of its own, as before partitions, the broker refuses any other consumer.
 */
export async function ensureStreams(connection: NatsConnection, options: TopologyOptions): Promise<void> {
  const { names, replicas } = options;
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const common = {
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    duplicate_window: nanos(120_000),
  };
  const usage = {
    ...common,
    name: names.usage,
    subjects: [names.undivided.subject, `${names.undivided.subject}.*`],
    retention: RetentionPolicy.Workqueue,
    max_bytes: options.maxBytes,
    max_age: nanos(options.maxAgeHours * hourMs),
  };
  const dead = {
    ...common,
    name: names.dead,
    subjects: [names.deadSubject],
    retention: RetentionPolicy.Limits,
    max_bytes: deadMaxBytes,
    max_age: nanos(deadDays * 24 * hourMs),
  };
  for (const config of [usage, dead]) if (await ensureStream(manager, config)) options.made(config.name);
  await ensureConsumer(connection, options, names.undivided);
}

export async function ensureConsumer(
  connection: NatsConnection,
  { names, ackWaitMs }: TopologyOptions,
  { consumer, subject }: Source,
): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const settings = {
    filter_subject: subject,
    ack_wait: nanos(ackWaitMs),
    // The service counts deliveries itself: the broker would drop a message silently.
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  };
  try {
    await manager.consumers.add(names.usage, { durable_name: consumer, ack_policy: AckPolicy.Explicit, ...settings });
  } catch (error) {
    if (!hasCode(error, consumerDiffers)) throw error;
    await manager.consumers.update(names.usage, consumer, settings);
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof NatsError && error.jsError()?.err_code === code;
}

async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<boolean> {
  try {
    await manager.streams.update(config.name, config);
    return false;
  } catch (error) {
    if (!hasCode(error, streamNotFound)) throw error;
    await manager.streams.add(config);
    return true;
  }
}
