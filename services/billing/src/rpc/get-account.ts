import { GatewayError } from "@uag/kit/errors.ts";
import type { Account, GetAccountRequest } from "@uag/proto/billing/v1/accounts.ts";
import type { Billing } from "../billing.ts";
import { type AccountDocument, accountMessage } from "../store/accounts.ts";

export async function getAccount(billing: Billing, request: GetAccountRequest): Promise<Account> {
  const account = await billing.store.accounts.findById(request.id).lean<AccountDocument>();
  if (account === null) throw new GatewayError("not_found", "There is no such account.", { param: "id" });
  return accountMessage(account);
}
