import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AccountDocument, accountMessage } from "@uag/ledger/documents/accounts";
import { chainStart } from "@uag/ledger/rules/entry";
import { noMoney } from "@uag/ledger/rules/money";
import type { Account, CreateAccountRequest } from "@uag/proto/billing/v1/accounts.ts";
import { newId } from "@uag/runtime/ids";
import { recordChange } from "../audit/record.ts";
import { accountSnapshot } from "../audit/snapshot.ts";
import type { Billing } from "../billing.ts";
import { getAccount } from "./get-account.ts";

/** Ids are part of NATS subjects, so NATS's special characters are not allowed. */
const accountId = /^[A-Za-z0-9_-]{1,64}$/;
const maxNameLength = 200;

/** @throws {GatewayError} `invalid_request` */
export function checkAccountName(name: string): void {
  if (name.length > maxNameLength)
    throw new GatewayError("invalid_request", "The name is too long.", { param: "name" });
}

/** @param nowMs its creation, Unix milliseconds: its first invoice is of that month */
export const newAccount = (name: string, nowMs: number): Omit<AccountDocument, "_id"> => ({
  ...noMoney,
  name,
  seq: 0n,
  head: chainStart,
  version: 0n,
  createdAt: new Date(nowMs),
});

/** Creates an account without money; an existing one under the id is returned unchanged. */
export async function createAccount(billing: Billing, request: CreateAccountRequest): Promise<Account> {
  const id = request.id === "" ? newId("acct") : request.id;
  if (!accountId.test(id)) {
    throw new GatewayError("invalid_request", "An account id must have 1 to 64 letters, digits, _ or -.", {
      param: "id",
    });
  }
  checkAccountName(request.name);
  const { store } = billing;
  const { before, fresh } = await billing.transact(async (transaction) => {
    const { session, at } = transaction;
    const fresh = newAccount(request.name, at.getTime());
    const found = await store.accounts
      .findOneAndUpdate({ _id: id }, { $setOnInsert: fresh }, { upsert: true, returnDocument: "before", session })
      .lean<AccountDocument>();
    if (found !== null) return { before: found, fresh };
    const after = accountSnapshot(request);
    const change = { actor: request.actor, action: "account.create", targetId: id, accountId: id, after };
    await recordChange(store, transaction, change);
    return { before: null, fresh };
  });
  if (before !== null) return getAccount(billing, { id });
  billing.events.accountCreated(id);
  return accountMessage({ _id: id, ...fresh });
}
