import { type AccountDocument, accountState } from "../documents/accounts.ts";
import { type GrantDocument, grantOf } from "../documents/grants.ts";
import type { Store } from "../documents/store.ts";
import type { Claim } from "../rules/audit.ts";

/**
 * Reads accounts and their live grants in one snapshot, during traffic. Accounts that do not
 * exist are missing from the result.
 */
export async function readMoment(store: Store, accountIds: readonly string[]): Promise<Map<string, Claim>> {
  await using session = await store.connection.startSession({ snapshot: true });
  const filter = { $in: accountIds };
  const accounts = await store.accounts.find({ _id: filter }).session(session).lean<AccountDocument[]>();
  const found = await store.grants.find({ accountId: filter, live: true }).session(session).lean<GrantDocument[]>();
  const live = Map.groupBy(found.map(grantOf), ({ accountId }) => accountId);
  return new Map(
    accounts.map((account) => [account._id, { account: accountState(account), live: live.get(account._id) ?? [] }]),
  );
}

/** Ids of all accounts, in batches of `size`. */
export async function* everyAccount({ accounts }: Store, size: number): AsyncGenerator<string[]> {
  for (let last = ""; ; ) {
    const found = await accounts
      .find({ _id: { $gt: last } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(size)
      .lean<{ _id: string }[]>();
    if (found.length === 0) return;
    yield found.map(({ _id }) => _id);
    last = found.at(-1)?._id ?? last;
  }
}

const maxStrays = 1_000;

/**
 * Account ids that rows name but that have no account: few, unless the ledger is badly broken. The
 * query skips through the index instead of reading it all.
 */
export async function strayAccounts({ ledger }: Store): Promise<string[]> {
  const found = await ledger
    .aggregate<{ _id: string }>([
      { $group: { _id: "$accountId" } },
      { $lookup: { from: "accounts", localField: "_id", foreignField: "_id", as: "account" } },
      { $match: { account: [] } },
      { $limit: maxStrays },
    ])
    .hint({ accountId: 1, seq: 1 });
  return found.map(({ _id }) => _id);
}
