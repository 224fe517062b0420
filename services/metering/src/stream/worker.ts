import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate, isUnavailable } from "@uag/mongo/errors";
import { backoffMs } from "@uag/runtime/backoff";
import { type BatchKey, copyProof, ForgedBatchError, verifyBatch } from "@uag/runtime/batch-mac";
import type { Bus } from "@uag/runtime/bus";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Logger } from "@uag/runtime/log";
import { headers, type JsMsg } from "nats";
import { type ApplyOptions, applyBatches } from "../apply/apply.ts";
import { type DecodedBatch, decodeBatch } from "../apply/decode.ts";
import { findApplied } from "../rpc/confirm-applied.ts";
import { type Inbox, keepWorking } from "./inbox.ts";

export interface WorkerOptions {
  readonly inbox: Inbox;
  readonly bus: Bus;
  /** Trusted publishers; undefined: any. */
  readonly batchKeys: readonly BatchKey[] | undefined;
  readonly apply: ApplyOptions;
  readonly deadSubject: string;
  readonly maxDeliver: number;
  /** How often the broker is notified that messages are in progress. */
  readonly workingMs: number;
  readonly log: Logger;
}

interface Delivery {
  readonly message: JsMsg;
  readonly batch: DecodedBatch;
}

/** A group is one transaction in metering, and one or more in billing. */
const groupMessages = 512;
const groupBytes = 1024 * 1024;
const backoff = { firstMs: 100, maxMs: 5_000 };
const nakMs = 2_000;

/** One group is settled while another is stored. */
const groupsAtOnce = 2;

/**
 * Applies messages in groups until the inbox is closed; acknowledges each only once it is applied
 * or dead-lettered.
 */
export async function work(options: WorkerOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: groupsAtOnce }, () => applyGroups(options, signal)));
}

async function applyGroups(options: WorkerOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const messages = await options.inbox.take(groupMessages, groupBytes);
    crashPoint("received");
    using _ = keepWorking(() => messages, options.workingMs);
    const deliveries: Delivery[] = [];
    for (const message of messages) {
      try {
        if (options.batchKeys !== undefined) verifyBatch(options.batchKeys, message.data, message.headers);
        deliveries.push({ message, batch: decodeBatch(message.data) });
      } catch (error) {
        await deadLetter(options, message, error, "");
      }
    }
    const fresh = await acknowledgeKnown(options, deliveries);
    if (fresh.length > 0) await applyGroup(options, fresh, signal);
  }
}

/**
 * A redelivered batch costs one lookup and no work: otherwise an overload, which causes
 * redeliveries, would feed itself.
 * @returns those not known to be applied
 */
async function acknowledgeKnown(options: WorkerOptions, deliveries: Delivery[]): Promise<Delivery[]> {
  const batchIds = deliveries.map(({ batch }) => batch.batchId);
  const applied = await findApplied(options.apply.store, batchIds).catch((error: unknown): string[] => {
    options.apply.events.waiting(error);
    return [];
  });
  if (applied.length === 0) return deliveries;
  const known = new Set(applied);
  for (const { message, batch } of deliveries) if (known.has(batch.batchId)) message.ack();
  return deliveries.filter(({ batch }) => !known.has(batch.batchId));
}

/** True when the environment failed and not the message. */
function passes(error: unknown): boolean {
  if (error instanceof GatewayError) return error.retryable && error.code !== "internal_error";
  return isUnavailable(error) || isDuplicate(error);
}

async function applyGroup(options: WorkerOptions, group: Delivery[], signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const batches = group.map(({ batch }) => batch);
      await applyBatches(options.apply, batches);
      crashPoint("applied");
      for (const { message } of group) message.ack();
      crashPoint("acked");
      return;
    } catch (error) {
      if (!passes(error)) return await applySingly(options, group, error, signal);
      options.apply.events.waiting(error);
      await sleep(backoffMs(failures, backoff), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/**
 * One message fails its group: each is applied alone, and the one that fails alone is retried
 * later, or dead-lettered.
 */
async function applySingly(
  options: WorkerOptions,
  group: Delivery[],
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const [only] = group;
  if (group.length > 1 || only === undefined) {
    for (const delivery of group) await applyGroup(options, [delivery], signal);
    return;
  }
  const { message, batch } = only;
  if (message.info.redeliveryCount >= options.maxDeliver)
    return await deadLetter(options, message, error, batch.batchId);
  options.log.error({ err: error, batchId: batch.batchId }, "applying a batch failed; retrying");
  message.nak(nakMs);
}

/**
 * Moves a message to the dead-letter stream. If that fails, the message stays and is redelivered.
 */
async function deadLetter(options: WorkerOptions, message: JsMsg, error: unknown, batchId: string): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const head = copyProof(message.headers, headers());
  head.set("Uag-Reason", reason.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500));
  head.set("Uag-Subject", message.subject);
  try {
    await options.bus.connection.jetstream().publish(options.deadSubject, message.data, { headers: head });
    message.term();
    options.apply.events.deadLettered(reason, batchId);
    if (error instanceof ForgedBatchError) options.apply.events.forged();
  } catch (failure) {
    options.log.error(
      { err: failure, reason },
      "publishing to the dead-letter stream failed; the message will be redelivered",
    );
    message.nak(nakMs);
  }
}
