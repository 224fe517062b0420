import { GatewayError } from "@uag/contract/errors/gateway-error";
import { accountMessage } from "@uag/ledger/documents/accounts";
import type { Account, GetAccountRequest } from "@uag/proto/billing/v1/accounts.ts";
import type { Billing } from "../billing.ts";
import { readBalances } from "../store/balances.ts";

export async function getAccount(billing: Billing, request: GetAccountRequest): Promise<Account> {
  const [account] = await readBalances(billing.store, [request.id]);
  if (account === undefined) throw new GatewayError("not_found", "The account does not exist.", { param: "id" });
  return accountMessage(account);
}
