import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { LedgerServiceServer } from "@uag/proto/billing/v1/ledger.ts";
import { type FailedAttempt, outcomeToJSON, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { Mutex } from "@uag/runtime/concurrency/mutex";
import { crashPoint } from "@uag/runtime/crash-point";
import { type RpcClient, replicaFor } from "@uag/runtime/rpc/client";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import { type EventDocument, fromDocument, toDocument } from "@uag/usage/documents/event";
import { monthOf } from "@uag/usage/documents/months";
import { firstOfEachRequest } from "@uag/usage/usage-event";
import type { mongo } from "mongoose";
import type { MeteringEvents } from "../events.ts";
import type { RollupDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { type DeadLetter, deadLetter } from "./dead-letters.ts";
import type { DecodedBatch, RefusedEvent } from "./decode.ts";
import type { KeyUse } from "./key-use.ts";
import { rollUp, type WriteOffs } from "./rollup.ts";
import { withSpans } from "./trace.ts";

export interface ApplyOptions {
  /** Undefined: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly store: Store;
  readonly billing: RpcClient<LedgerServiceServer>;
  /** Batches are marked, and events dead-lettered, at the database's time. */
  readonly clock: Pick<DatabaseClock, "moment">;
  readonly events: MeteringEvents;
  /**
   * Events that ended before this may have been applied and have expired since, unix milliseconds.
   */
  readonly expiredBeforeMs: () => number;
  /** Receives the accounts whose usage was stored. */
  readonly announce?: (accountIds: ReadonlySet<string>) => void;
  readonly keyUse: KeyUse;
  /**
   * One group is settled while the one before it is stored; two at the same step would conflict on
   * grants and roll-ups.
   */
  readonly steps: { readonly settle: Mutex; readonly store: Mutex };
}

export const newSteps = (): ApplyOptions["steps"] => ({ settle: new Mutex(), store: new Mutex() });

const settledAtOnce = 1_000;
const settleTimeoutMs = 20_000;

/**
 * Applies batches: settles their events with billing, then stores them, rolls them up and marks the
 * batches applied, all in one transaction. Safe to repeat from any point: billing charges a request
 * once, and an event is counted by the transaction that stores it. An event that cannot be applied
 * is dead-lettered in the same transaction, and the others are applied.
 * @param how `deadLetters` false: an event that billing will never accept throws instead.
 * Default true.
 */
export function applyBatches(
  options: ApplyOptions,
  batches: readonly DecodedBatch[],
  how: { readonly deadLetters: boolean } = { deadLetters: true },
): Promise<void> {
  return withSpans(options.tracing, batches, () => applyAll(options, batches, how));
}

async function applyAll(
  options: ApplyOptions,
  batches: readonly DecodedBatch[],
  how: { readonly deadLetters: boolean },
): Promise<void> {
  const incoming = firstOfEachRequest(
    batches.flatMap(({ events }) => events),
    (event, first) => {
      if (differs(event, first)) options.events.conflict(event, outcomeToJSON(first.outcome));
    },
  );
  const { counted, repeated, writeOffs, refused } = await options.steps.settle.runExclusive(() =>
    settle(options, incoming),
  );
  const [impossible] = refused;
  if (impossible !== undefined && !how.deadLetters) throw new Error(impossible.reason);
  crashPoint("settled");
  const dead = [
    ...batches.flatMap(({ batchId, refused: own }) => own.map((one): DeadLetter => ({ ...one, batchId }))),
    ...refused.map((one) => ({ ...one, batchId: batchOf(batches, one.event) })),
  ];
  const events = incoming.filter(({ requestId }) => !counted.has(requestId));
  const stored = await options.steps.store.runExclusive(() =>
    store(options, { events, repeated, batches, writeOffs, dead }),
  );
  for (const { event, reason, batchId } of dead) options.events.eventDeadLettered(event.requestId, reason, batchId);
  if (stored > 0) options.announce?.(new Set(events.map(({ accountId }) => accountId)));
  options.events.applied(batches.length, incoming.length, incoming.length - stored);
}

function batchOf(batches: readonly DecodedBatch[], event: UsageEvent): string {
  return batches.find(({ events }) => events.includes(event))?.batchId ?? "";
}

function differs(event: UsageEvent, other: UsageEvent): boolean {
  return event.costNanoUsd !== other.costNanoUsd || event.outcome !== other.outcome;
}

interface Settled {
  /**
   * Ids of events that must not be stored: counted before and their raw event expired since, or
   * charged by another terminal event of the same request, whose own batch stores it.
   */
  readonly counted: Set<string>;
  /** Ids of events that billing had already settled: they may be stored. */
  readonly repeated: Set<string>;
  readonly writeOffs: Map<string, bigint>;
  /** Events that billing will never accept; they must not be stored either. */
  readonly refused: RefusedEvent[];
}

async function settle(options: ApplyOptions, events: readonly UsageEvent[]): Promise<Settled> {
  const result: Settled = { counted: new Set(), repeated: new Set(), writeOffs: new Map(), refused: [] };
  const byReplica = Map.groupBy(events, ({ accountId }) => replicaFor(options.billing, accountId));
  const done = await Promise.allSettled([...byReplica.values()].map((own) => settleInParts(options, own, result)));
  const failed = done.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  for (const { event } of result.refused) result.counted.add(event.requestId);
  return result;
}

/** Settles events whose accounts have the same replica of billing, and adds their outcomes. */
async function settleInParts(options: ApplyOptions, events: readonly UsageEvent[], into: Settled): Promise<void> {
  const expiredBefore = BigInt(options.expiredBeforeMs());
  for (let n = 0; n < events.length; n += settledAtOnce) {
    const { part, settled } = await settleAccepted(options, events.slice(n, n + settledAtOnce), into.refused);
    for (const one of settled) if (one.writtenOffNanoUsd > 0n) into.writeOffs.set(one.requestId, one.writtenOffNanoUsd);
    const earlier = settled.filter((one) => !one.new);
    if (earlier.length === 0) continue;
    const byId = new Map(part.map((event) => [event.requestId, event]));
    for (const { requestId, chargedNanoUsd, writtenOffNanoUsd } of earlier) {
      const event = byId.get(requestId);
      if (event === undefined) continue;
      into.repeated.add(requestId);
      const isOther = chargedNanoUsd + writtenOffNanoUsd !== event.costNanoUsd;
      if (event.endedAtMs < expiredBefore || isOther) into.counted.add(requestId);
    }
  }
}

/** The event that billing's refusal names, if it names one. */
function namedIn(error: unknown, events: readonly UsageEvent[]): UsageEvent | undefined {
  if (!(error instanceof GatewayError) || error.retryable) return undefined;
  return events[Number(/^events\[(\d+)\]/.exec(error.param ?? "")?.[1] ?? -1)];
}

/**
 * Only usage keeps trace ids, others' ids and the messages of failed calls, which may quote the request: the
 * ledger's events are hashed and stored permanently.
 */
function asBilled(event: UsageEvent): UsageEvent {
  return {
    ...event,
    traceId: undefined,
    spanId: undefined,
    clientRequestId: undefined,
    upstreamRequestId: undefined,
    failedAttempts: event.failedAttempts.map(withoutMessage),
  };
}

const withoutMessage = (attempt: FailedAttempt): FailedAttempt => ({ ...attempt, message: undefined });

/** Settles all events except those that billing names as impossible; those go to `refused`. */
async function settleAccepted(options: ApplyOptions, events: UsageEvent[], refused: RefusedEvent[]) {
  for (let part = events; ; ) {
    try {
      const request = { events: part.map(asBilled) };
      const affinity = part[0]?.accountId;
      const { settled } = await options.billing.settle(request, { timeoutMs: settleTimeoutMs, affinity });
      return { part, settled };
    } catch (error) {
      const named = namedIn(error, part);
      if (named === undefined) throw error;
      refused.push({ event: named, reason: (error as GatewayError).message });
      part = part.filter((event) => event !== named);
    }
  }
}

/** @returns how many of the events were new */
async function store(
  { store, clock, events: happened, keyUse }: ApplyOptions,
  {
    events,
    repeated,
    batches,
    writeOffs,
    dead,
  }: {
    events: readonly UsageEvent[];
    repeated: ReadonlySet<string>;
    batches: readonly DecodedBatch[];
    writeOffs: WriteOffs;
    dead: readonly DeadLetter[];
  },
): Promise<number> {
  const conflicts: [UsageEvent, EventDocument][] = [];
  let count = 0;
  await store.partitions.ensure(new Set(events.map(partitionOf)));
  await keyUse.note(events);
  await store.transact(async (session, again) => {
    conflicts.length = 0;
    // An event is rarely stored already, so all are looked up only after an insert has conflicted.
    const doubtful = again ? events : events.filter(({ requestId }) => repeated.has(requestId));
    const known = await findKnown(store, doubtful, session);
    const fresh: UsageEvent[] = [];
    for (const event of events) {
      const stored = known.get(event.requestId);
      if (stored === undefined) fresh.push(event);
      else if (differs(event, fromDocument(stored))) conflicts.push([event, stored]);
    }
    if (fresh.length > 0) {
      await insertEvents(store, fresh, session);
      await addRollups(store, rollUp(fresh, writeOffs), session);
    }
    const at = new Date(await clock.moment());
    await deadLetter(store, dead, { session, at });
    await markBatches(store, batches, { session, again, at });
    crashPoint("stored");
    count = fresh.length;
  });
  for (const [event, stored] of conflicts) happened.conflict(event, stored.outcome);
  return count;
}

const partitionOf = ({ startedAtMs }: UsageEvent): string => monthOf(new Date(Number(startedAtMs)));

async function insertEvents(
  { partitions }: Store,
  events: readonly UsageEvent[],
  session: mongo.ClientSession,
): Promise<void> {
  for (const [month, own] of Map.groupBy(events, partitionOf))
    await partitions.of(month).insertMany(own.map(toDocument), { session });
}

/**
 * Finds stored events: in the month in which they began, or in the collection from before monthly
 * partitions.
 */
async function findKnown(
  { partitions: { of, old } }: Store,
  events: readonly UsageEvent[],
  session: mongo.ClientSession,
): Promise<Map<string, EventDocument>> {
  const known = new Map<string, EventDocument>();
  for (const [month, own] of Map.groupBy(events, partitionOf)) {
    const filter = { _id: { $in: own.map(({ requestId }) => requestId) } };
    for (const rows of old === undefined ? [of(month)] : [of(month), old])
      for (const row of await rows.find(filter, { session }).toArray()) known.set(row._id, row);
  }
  return known;
}

interface Storing {
  readonly session: mongo.ClientSession;
  /** Part of this was tried before, so rows may exist already. */
  readonly again: boolean;
  /** The database's time: marks expire by it. */
  readonly at: Date;
}

async function markBatches(
  store: Store,
  batches: readonly DecodedBatch[],
  { session, again, at: appliedAt }: Storing,
): Promise<void> {
  const ids = [...new Set(batches.map(({ batchId }) => batchId))];
  // A batch is rarely marked already; an insert is cheaper than checking first.
  const known = again ? await store.batches.find({ _id: { $in: ids } }, { session }).toArray() : [];
  const there = new Set(known.map(({ _id }) => _id));
  const marks = ids.flatMap((_id) => (there.has(_id) ? [] : [{ _id, appliedAt }]));
  if (marks.length > 0) await store.batches.insertMany(marks, { session });
}

/** Adds to existing roll-ups and creates missing ones. */
export async function addRollups(
  store: Store,
  rows: readonly RollupDocument[],
  session: mongo.ClientSession,
): Promise<void> {
  const operations = rows.map(({ _id, requests, costNanoUsd, writtenOffNanoUsd, ...row }) => {
    const { units, failures, latency, firstByte, ...names } = row;
    const increments: Record<string, bigint> = { requests, costNanoUsd };
    if (writtenOffNanoUsd !== undefined) increments["writtenOffNanoUsd"] = writtenOffNanoUsd;
    for (const [field, counts] of Object.entries({ units, failures, latency, firstByte }))
      for (const [name, count] of Object.entries(counts ?? {})) increments[`${field}.${name}`] = count;
    return { updateOne: { filter: { _id }, update: { $inc: increments, $setOnInsert: names }, upsert: true } };
  });
  if (operations.length > 0) await store.rollups.bulkWrite(operations, { session, ordered: false });
}
