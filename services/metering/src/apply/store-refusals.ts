import type { RefusalBatch } from "@uag/contract/messages/refusals";
import { maxRecent, type RecentRefusal } from "../store/refusals.ts";
import type { Store } from "../store/store.ts";

type Samples = RefusalBatch["samples"];

const recentOf = ({
  at_ms,
  reason,
  status,
  operation,
  model,
  message,
  request_id,
}: Samples[number]): RecentRefusal => ({
  at: new Date(at_ms),
  reason,
  status,
  operation,
  model,
  message,
  requestId: request_id,
});

/** One update for each key, which keeps its latest refusals. */
function recentWrites(samples: Samples) {
  return [...Map.groupBy(samples, ({ key_id }) => key_id)].map(([_id, ofKey]) => {
    const recent = ofKey.map(recentOf);
    const lastAt = new Date(Math.max(...recent.map(({ at }) => at.getTime())));
    const push = { $each: recent, $sort: { at: 1 as const }, $slice: -maxRecent };
    const update = { $push: { recent: push }, $max: { lastAt }, $set: { accountId: ofKey[0]?.account_id ?? "" } };
    return { updateOne: { filter: { _id }, update, upsert: true } };
  });
}

/** Adds a process's counts to those of the hours, and its texts to those of the keys. */
export async function storeRefusals(
  { refusals, refusedKeys }: Pick<Store, "refusals" | "refusedKeys">,
  { counts, samples }: RefusalBatch,
): Promise<void> {
  const writes = counts.map(({ account_id: accountId, key_id: keyId, reason, hour_ms, count }) => ({
    updateOne: {
      filter: { _id: `${keyId}/${reason}/${hour_ms}` },
      update: { $inc: { count: BigInt(count) }, $setOnInsert: { hour: new Date(hour_ms), accountId, keyId, reason } },
      upsert: true,
    },
  }));
  if (writes.length > 0) await refusals.bulkWrite(writes, { ordered: false });
  if (samples.length > 0) await refusedKeys.bulkWrite(recentWrites(samples), { ordered: false });
}
