import { unitOf } from "@uag/catalog/units";
import { Outcome, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { binOf } from "@uag/runtime/histogram";
import type { BucketSize, ErrorClass, RollupDocument } from "../store/rollup.ts";

const sizes: Record<BucketSize, number> = { hour: 3_600_000, day: 86_400_000 };

/**
 * The part of each request's cost that no money covered, nano-USD; requests paid in full are
 * absent.
 */
export type WriteOffs = ReadonlyMap<string, bigint>;

/** The status recorded when the client has disconnected. */
const clientClosed = 499;

const none: WriteOffs = new Map();

/**
 * Sums events by hour and by day of their end (UTC), account, key, model, operation and provider.
 */
export function rollUp(events: readonly UsageEvent[], writeOffs = none): RollupDocument[] {
  const rollups = new Map<string, RollupDocument>();
  for (const event of events) {
    const writtenOff = writeOffs.get(event.requestId) ?? 0n;
    for (const bucket of ["hour", "day"] as const) {
      const rollup = addTo(rollups, bucket, event);
      if (writtenOff !== 0n) rollup.writtenOffNanoUsd = (rollup.writtenOffNanoUsd ?? 0n) + writtenOff;
    }
  }
  return [...rollups.values()];
}

/**
 * Where a provider's counters without a price are summed: a provider can add any number of names.
 */
const unknownUnit = "unknown";

/** Turns a unit's name into a field name of the roll-ups, which cannot hold every character. */
const fieldOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9_*/:-]/g, "_");

function addTo(rollups: Map<string, RollupDocument>, bucket: BucketSize, event: UsageEvent): RollupDocument {
  const { accountId, keyId, model, operation, upstream } = event;
  const ms = Number(event.endedAtMs);
  const start = ms - (ms % sizes[bucket]);
  // Ids never contain a line break, so no two rows share an id.
  const id = [bucket, start, accountId, keyId, model, operation, upstream].join("\n");
  let rollup = rollups.get(id);
  if (rollup === undefined) {
    rollup = {
      _id: id,
      bucket,
      start: new Date(start),
      accountId,
      keyId,
      model,
      operation,
      upstream,
      requests: 0n,
      costNanoUsd: 0n,
      units: {},
    };
    rollups.set(id, rollup);
  }
  rollup.requests++;
  rollup.costNanoUsd += event.costNanoUsd;
  addEnd(rollup, event);
  for (const { name, quantity } of event.units) {
    const field = unitOf(name) === undefined ? unknownUnit : fieldOf(name);
    rollup.units[field] = (rollup.units[field] ?? 0n) + quantity;
  }
  return rollup;
}

/** The error class of a request that failed; undefined for one that succeeded. */
function errorOf({ outcome, status }: Pick<UsageEvent, "outcome" | "status">): ErrorClass | undefined {
  if (outcome === Outcome.CRASHED) return "crashed";
  if (outcome === Outcome.DISCONNECTED || status === clientClosed) return "clientLeft";
  if (status === 429) return "rateLimited";
  if (status >= 400 && status < 500) return "clientError";
  return outcome === Outcome.FAILED || status >= 500 ? "upstreamError" : undefined;
}

/** Adds how the request ended, and its duration if it succeeded. */
function addEnd(rollup: RollupDocument, event: UsageEvent): void {
  const error = errorOf(event);
  if (error !== undefined) {
    rollup.failures = { ...rollup.failures, [error]: (rollup.failures?.[error] ?? 0n) + 1n };
    return;
  }
  rollup.latency = addTime(rollup.latency, Number(event.endedAtMs - event.startedAtMs));
  if (event.firstByteMs !== undefined) rollup.firstByte = addTime(rollup.firstByte, event.firstByteMs);
}

function addTime(bins: Record<number, bigint> = {}, ms: number): Record<number, bigint> {
  const bin = binOf(ms);
  bins[bin] = (bins[bin] ?? 0n) + 1n;
  return bins;
}
