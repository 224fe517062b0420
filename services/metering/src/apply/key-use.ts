import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Store } from "../store/store.ts";

/**
 * Notes when keys were used last. Not part of a transaction, so that no two meet at a key: the
 * later time holds, however often and in whatever order this is called.
 */
export async function noteKeyUse({ keyUse }: Pick<Store, "keyUse">, events: readonly UsageEvent[]): Promise<void> {
  const latest = new Map<string, bigint>();
  for (const { keyId, endedAtMs } of events)
    if (keyId !== "" && endedAtMs > (latest.get(keyId) ?? 0n)) latest.set(keyId, endedAtMs);
  if (latest.size === 0) return;
  const writes = [...latest].map(([_id, ms]) => ({
    updateOne: { filter: { _id }, update: { $max: { lastUsedAt: new Date(Number(ms)) } }, upsert: true },
  }));
  await keyUse.bulkWrite(writes, { ordered: false });
}
