import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { LedgerServiceServer } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { mongo } from "mongoose";
import type { MeteringEvents } from "../events.ts";
import { duplicateKey } from "../store/connection.ts";
import { type EventDocument, fromDocument, toDocument } from "../store/event.ts";
import type { Store } from "../store/store.ts";
import { inTransaction } from "../store/transaction.ts";
import { rollUp } from "./rollup.ts";

export interface ApplyOptions {
  readonly store: Store;
  readonly billing: RpcClient<LedgerServiceServer>;
  readonly events: MeteringEvents;
  /** Events that ended before this may have been applied and have expired since, unix milliseconds. */
  readonly expiredBeforeMs: () => number;
}

const settledAtOnce = 1_000;
const settleTimeoutMs = 20_000;

/**
 * Applies batches: stores their events, settles them with billing, then rolls up what nobody rolled up before and marks
 * events and batches applied in one transaction. Can be repeated from any point: each step finds what was done.
 */
export async function applyBatches(options: ApplyOptions, batches: readonly UsageBatch[]): Promise<void> {
  const incoming = firstOfEach(options, batches);
  const earlier = await storeEvents(options.store, incoming);
  const open: UsageEvent[] = [];
  for (const event of incoming) {
    const stored = earlier.get(event.requestId);
    if (stored === undefined) open.push(event);
    else {
      // What was stored first is what is billed, whatever came later.
      if (differs(event, stored)) options.events.conflict(event, stored.outcome);
      if (!stored.applied) open.push(fromDocument(stored));
    }
  }
  const counted = await settle(options, open);
  await markApplied(options.store, open, counted, batches);
  options.events.applied(batches.length, incoming.length, incoming.length - open.length);
}

function firstOfEach(options: ApplyOptions, batches: readonly UsageBatch[]): UsageEvent[] {
  const first = new Map<string, UsageEvent>();
  for (const event of batches.flatMap(({ events }) => events)) {
    const known = first.get(event.requestId);
    if (known === undefined) first.set(event.requestId, event);
    else if (differs(event, toDocument(known))) options.events.conflict(event, toDocument(known).outcome);
  }
  return [...first.values()];
}

function differs(event: UsageEvent, stored: EventDocument): boolean {
  return event.costNanoUsd !== stored.costNanoUsd || toDocument(event).outcome !== stored.outcome;
}

/** Inserts events. @returns those that were there before, by request id, as they were stored */
async function storeEvents(store: Store, events: readonly UsageEvent[]): Promise<Map<string, EventDocument>> {
  if (events.length === 0) return new Map();
  try {
    await store.events.insertMany(events.map(toDocument), { ordered: false });
    return new Map();
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) throw error;
    const ids = failures.map(({ index }) => (events[index] as UsageEvent).requestId);
    const stored = await store.events.find({ _id: { $in: ids } }).toArray();
    return new Map(stored.map((document) => [document._id, document]));
  }
}

/** @returns ids of events that were counted before their raw event expired: they must not be rolled up again */
async function settle(options: ApplyOptions, events: readonly UsageEvent[]): Promise<Set<string>> {
  const counted = new Set<string>();
  const expiredBefore = BigInt(options.expiredBeforeMs());
  for (let n = 0; n < events.length; n += settledAtOnce) {
    const part = events.slice(n, n + settledAtOnce);
    const { settled } = await options.billing.settle({ events: part }, { timeoutMs: settleTimeoutMs });
    const known = new Set(settled.filter((one) => !one.new).map((one) => one.requestId));
    for (const event of part) {
      if (event.endedAtMs < expiredBefore && known.has(event.requestId)) counted.add(event.requestId);
    }
  }
  return counted;
}

async function markApplied(
  store: Store,
  events: readonly UsageEvent[],
  counted: ReadonlySet<string>,
  batches: readonly UsageBatch[],
): Promise<void> {
  await inTransaction(store.connection, async (session) => {
    const ids = events.map(({ requestId }) => requestId);
    const filter = { _id: { $in: ids }, applied: false };
    const found = await store.events.find(filter, { session, projection: { _id: 1 } }).toArray();
    const unapplied = new Set(found.map(({ _id }) => _id));
    if (unapplied.size > 0) {
      const fresh = events.filter(({ requestId }) => unapplied.has(requestId) && !counted.has(requestId));
      await addRollups(store, fresh, session);
      await store.events.updateMany(filter, { $set: { applied: true } }, { session });
    }
    const marks = batches.map(({ batchId }) => ({
      updateOne: { filter: { _id: batchId }, update: { $setOnInsert: { appliedAt: new Date() } }, upsert: true },
    }));
    if (marks.length > 0) await store.batches.bulkWrite(marks, { session });
  });
}

async function addRollups(store: Store, events: UsageEvent[], session: mongo.ClientSession): Promise<void> {
  const operations = rollUp(events).map(({ _id, requests, costNanoUsd, units, ...names }) => {
    const increments: Record<string, bigint> = { requests, costNanoUsd };
    for (const [name, quantity] of Object.entries(units)) increments[`units.${name}`] = quantity;
    return { updateOne: { filter: { _id }, update: { $inc: increments, $setOnInsert: names }, upsert: true } };
  });
  if (operations.length > 0) await store.rollups.bulkWrite(operations, { session, ordered: false });
}
