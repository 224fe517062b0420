import { spendingOf } from "@uag/ledger/documents/spending";
import type { Store } from "@uag/ledger/documents/store";
import type { EnvelopeBudget } from "./fields.ts";

/** A run has at most 100 envelopes. */
const runsAtOnce = 10;

type Envelope = Pick<EnvelopeBudget, "_id" | "accountId" | "envelope">;

/** Deletes envelopes with their keys and what counted toward both; the envelopes come last, so that a repetition finds them. */
async function deleteEnvelopes({ budgets, keys, spending }: Store, envelopes: readonly Envelope[]): Promise<number> {
  const keyIds = envelopes.map(({ envelope }) => envelope.keyId);
  const counts = envelopes.flatMap(({ _id, accountId, envelope }) =>
    [_id, envelope.keyId].map((id) => ({ _id: spendingOf(accountId, id) })),
  );
  await spending.deleteMany({ $or: counts });
  await keys.deleteMany({ _id: { $in: keyIds } });
  const { deletedCount } = await budgets.deleteMany({ _id: { $in: envelopes.map(({ _id }) => _id) } });
  return deletedCount;
}

/**
 * Deletes the runs whose highest envelope expired before a time; those below it expired no later.
 * The ledger's rows and the usage of their keys stay.
 * @returns the number of envelopes
 */
export async function pruneEnvelopes(store: Store, before: Date): Promise<number> {
  const expired = { "envelope.rootKeyId": { $gt: "" }, "envelope.expiresAt": { $lt: before } };
  for (let pruned = 0; ; ) {
    const highest = await store.budgets
      .find({ ...expired, chain: { $size: 1 } }, { _id: 1 })
      .limit(runsAtOnce)
      .lean<Pick<Envelope, "_id">[]>();
    if (highest.length === 0) return pruned;
    const runs = { chain: { $in: highest.map(({ _id }) => _id) } };
    const found = await store.budgets.find(runs, { accountId: 1, envelope: 1 }).sort({ _id: -1 }).lean<Envelope[]>();
    pruned += await deleteEnvelopes(store, found);
  }
}
