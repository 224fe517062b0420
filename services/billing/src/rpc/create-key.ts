import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { CreateKeyRequest, CreateKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { digestKey, generateKey } from "@uag/runtime/api-key";
import { newId } from "@uag/runtime/ids";
import type { NamedSecret } from "@uag/runtime/keyring";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { chainOf } from "../budgets/chain.ts";
import { announceChange } from "../keys/announce.ts";
import { checkKeyFields, keyMessage, keySnapshot, settingsOf } from "../keys/fields.ts";
import { hintOf } from "../keys/hint.ts";

/** A key as it is stored. @param createdAt the database's time */
export function newKey(
  request: CreateKeyRequest,
  { secret, pepper, createdAt }: { readonly secret: string; readonly pepper: NamedSecret; readonly createdAt: Date },
): KeyDocument {
  return {
    _id: newId("key"),
    accountId: request.accountId,
    hint: hintOf(secret),
    digest: digestKey(secret, pepper.secret),
    pepperId: pepper.id,
    createdAt,
    revokedAt: null,
    version: 1n,
    ...settingsOf(request),
  };
}

/** Creates a key. Its secret is returned here and nowhere else. */
export async function createKey(billing: Billing, request: CreateKeyRequest): Promise<CreateKeyResponse> {
  checkKeyFields(request);
  const { store, settings } = billing;
  if ((await store.accounts.exists({ _id: request.accountId })) === null) {
    throw new GatewayError("not_found", "The account does not exist.", { param: "account_id" });
  }
  const secret = generateKey();
  const pepper = settings.peppers.current;
  const { actor, accountId } = request;
  const key = await billing.transact(async (transaction) => {
    const { session } = transaction;
    const created = {
      ...newKey(request, { secret, pepper, createdAt: transaction.at }),
      budgetIds: await chainOf(store, session, { accountId, budgetId: request.budgetId ?? "", param: "budget_id" }),
    };
    await store.keys.create([created], { session });
    const change = { actor, action: "key.create", targetId: created._id, accountId, after: keySnapshot(created) };
    await recordChange(store, transaction, change);
    return created;
  });
  announceChange(billing, key, "created");
  return { key: keyMessage(key), secret };
}
