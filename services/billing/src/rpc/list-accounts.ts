import type { ListAccountsRequest, ListAccountsResponse } from "@uag/proto/billing/v1/accounts.ts";
import type { Billing } from "../billing.ts";
import { type AccountDocument, accountMessage } from "../store/accounts.ts";
import { cutPage, readPage } from "./page.ts";

/** Accounts in the order of their ids. */
export async function listAccounts(billing: Billing, request: ListAccountsRequest): Promise<ListAccountsResponse> {
  const { limit, after } = readPage(request.page);
  const found = await billing.store.accounts
    .find(after === "" ? {} : { _id: { $gt: after } })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<AccountDocument[]>();
  const { rows, nextCursor } = cutPage(found, limit, (account) => account._id);
  return { accounts: rows.map(accountMessage), nextCursor };
}
