import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { Store } from "@uag/ledger/documents/store";
import { addMoney, moved } from "@uag/ledger/rules/money";
import type { ClientSession } from "mongoose";

/** Charged to an account's grants since its row was last written, nano-USD, by account. */
async function unfolded(store: Store, session: ClientSession, ids: readonly string[]): Promise<Map<string, bigint>> {
  const sums = await store.grants
    .aggregate<{ _id: string; sum: bigint | number }>([
      { $match: { accountId: { $in: ids }, live: true, folded: { $exists: true } } },
      { $group: { _id: "$accountId", sum: { $sum: { $subtract: ["$settled", "$folded"] } } } },
    ])
    .session(session);
  return new Map(sums.map(({ _id, sum }) => [_id, BigInt(sum)]));
}

/**
 * Accounts with their balances up to the last settled request: their own columns plus their grants,
 * read in one snapshot.
 */
export async function readBalances(store: Store, ids: readonly string[]): Promise<AccountDocument[]> {
  await using session = await store.connection.startSession({ snapshot: true });
  const accounts = await store.accounts
    .find({ _id: { $in: ids } })
    .sort({ _id: 1 })
    .session(session)
    .lean<AccountDocument[]>();
  const charged = await unfolded(store, session, ids);
  return accounts.map((account) => ({ ...account, ...addMoney(account, moved(charged.get(account._id) ?? 0n)) }));
}
