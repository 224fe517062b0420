import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { Account } from "@uag/proto/billing/v1/accounts.ts";
import type { UpdateAccountRequest } from "@uag/proto/billing/v1/admin.ts";
import { recordChange } from "../audit/record.ts";
import { accountSnapshot } from "../audit/snapshot.ts";
import type { Billing } from "../billing.ts";
import { announceKeysOf } from "../keys/announce.ts";
import { checkAccountName } from "./create-account.ts";
import { getAccount } from "./get-account.ts";

/**
 * Changes an account's name and settings. Its money changes by top-ups alone. Its keys are announced
 * as changed when a setting of their requests changes, so that routers apply it at once.
 */
export async function updateAccount(billing: Billing, request: UpdateAccountRequest): Promise<Account> {
  const { store } = billing;
  const { id, name, keepsNoAnswers, lowersOutputCap, storesResponses, disabled, actor } = request;
  if (name !== undefined) checkAccountName(name);
  const change = {
    ...(name !== undefined && { name }),
    ...(keepsNoAnswers !== undefined && { keepsNoAnswers }),
    ...(lowersOutputCap !== undefined && { lowersOutputCap }),
    ...(storesResponses !== undefined && { storesResponses }),
    ...(disabled !== undefined && { disabled }),
  };
  await billing.transact(async (transaction) => {
    const { session } = transaction;
    const found = await store.accounts
      .findOneAndUpdate({ _id: id }, { $set: change }, { session, returnDocument: "before" })
      .lean<AccountDocument>();
    if (found === null) throw new GatewayError("not_found", "The account does not exist.", { param: "id" });
    await recordChange(store, transaction, {
      actor,
      action: "account.update",
      targetId: id,
      accountId: id,
      before: accountSnapshot(found),
      after: accountSnapshot({ ...found, ...change }),
    });
  });
  billing.events.accountChanged(id);
  const isOfRequests = disabled ?? lowersOutputCap ?? storesResponses;
  if (isOfRequests !== undefined) await announceKeysOf(billing, id);
  return getAccount(billing, { id });
}
