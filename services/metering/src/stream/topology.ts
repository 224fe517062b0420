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

export interface StreamNames {
  readonly usage: string;
  readonly usageSubject: string;
  readonly dead: string;
  readonly deadSubject: string;
  readonly consumer: string;
}

export function streamNames(prefix: string): StreamNames {
  return {
    usage: `${prefix}USAGE`,
    usageSubject: `${prefix}usage.v1.batch`,
    dead: `${prefix}USAGE_DEAD`,
    deadSubject: `${prefix}usage.v1.dead`,
    consumer: `${prefix}metering`,
  };
}

export interface TopologyOptions {
  readonly names: StreamNames;
  readonly replicas: number;
  readonly maxBytes: number;
  readonly maxAgeHours: number;
  /** A message that a dead process took comes again after this. */
  readonly ackWaitMs: number;
  readonly made: (stream: string) => void;
}

const streamNotFound = 10_059;
const hourMs = 3_600_000;
const deadDays = 30;
const deadMaxBytes = 1024 ** 3;
const maxAckPending = 1_024;

/** Makes what is missing and sets what differs. Streams refuse what is beyond their limits: publishers keep it then. */
export async function ensureTopology(connection: NatsConnection, options: TopologyOptions): Promise<void> {
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
    subjects: [names.usageSubject],
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
  await manager.consumers.add(names.usage, {
    durable_name: names.consumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(options.ackWaitMs),
    // Deliveries are counted by the service: the broker would drop a message silently.
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  });
}

async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<boolean> {
  try {
    await manager.streams.update(config.name, config);
    return false;
  } catch (error) {
    if (!(error instanceof NatsError) || error.jsError()?.err_code !== streamNotFound) throw error;
    await manager.streams.add(config);
    return true;
  }
}
