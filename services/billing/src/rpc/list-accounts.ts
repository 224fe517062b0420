import { accountMessage } from "@uag/ledger/documents/accounts";
import { readPage, toPageById } from "@uag/mongo/paging";
import type { ListAccountsRequest, ListAccountsResponse } from "@uag/proto/billing/v1/accounts.ts";
import type { Billing } from "../billing.ts";
import { readBalances } from "../store/balances.ts";

/** Accounts in order of their ids. */
export async function listAccounts(billing: Billing, request: ListAccountsRequest): Promise<ListAccountsResponse> {
  const { limit, after } = readPage(request.page);
  const found = await billing.store.accounts
    .find(after === "" ? {} : { _id: { $gt: after } }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<{ _id: string }[]>();
  const { rows, nextCursor } = toPageById(found, limit, (account) => account._id);
  const ids = rows.map(({ _id }) => _id);
  const accounts = await readBalances(billing.store, ids);
  return { accounts: accounts.map(accountMessage), nextCursor };
}
