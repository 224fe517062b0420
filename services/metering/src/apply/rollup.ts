import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { BucketSize, RollupDocument } from "../store/rollup.ts";

const sizes: Record<BucketSize, number> = { hour: 3_600_000, day: 86_400_000 };

/**
 * What no money covered of each request's cost, nano-USD; requests that were paid in full are not
 * there.
 */
export type WriteOffs = ReadonlyMap<string, bigint>;

const none: WriteOffs = new Map();

/** Adds events up by hour and by day of their end (UTC), account, key, model and operation. */
export function rollUp(events: readonly UsageEvent[], writeOffs = none): RollupDocument[] {
  const rollups = new Map<string, RollupDocument>();
  for (const event of events) {
    const writtenOff = writeOffs.get(event.requestId) ?? 0n;
    for (const bucket of ["hour", "day"] as const) {
      const rollup = addTo(rollups, bucket, event);
      if (writtenOff > 0n) rollup.writtenOffNanoUsd = (rollup.writtenOffNanoUsd ?? 0n) + writtenOff;
    }
  }
  return [...rollups.values()];
}

/** A unit's name as that of a field of the roll-ups, which cannot hold every character. */
const fieldOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9_*/:-]/g, "_");

function addTo(rollups: Map<string, RollupDocument>, bucket: BucketSize, event: UsageEvent): RollupDocument {
  const { accountId, keyId, model, operation } = event;
  const ms = Number(event.endedAtMs);
  const start = ms - (ms % sizes[bucket]);
  // Ids never hold a line break, so no two rows share an id.
  const id = [bucket, start, accountId, keyId, model, operation].join("\n");
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
      requests: 0n,
      costNanoUsd: 0n,
      units: {},
    };
    rollups.set(id, rollup);
  }
  rollup.requests++;
  rollup.costNanoUsd += event.costNanoUsd;
  for (const { name, quantity } of event.units) {
    const field = fieldOf(name);
    rollup.units[field] = (rollup.units[field] ?? 0n) + quantity;
  }
  return rollup;
}
