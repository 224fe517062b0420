import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { digestKey, generateKey } from "@uag/kit/api-key.ts";
import { newId } from "@uag/kit/ids.ts";
import type { NamedSecret } from "@uag/kit/keyring.ts";
import type { CreateKeyRequest, CreateKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { recordChange } from "../audit/record.ts";
import { keySnapshot } from "../audit/snapshot.ts";
import type { Billing } from "../billing.ts";
import { announceChange } from "../keys/announce.ts";
import { dateOf, hintOf, keyMessage, limitsDocument, tagsOf } from "../keys/key.ts";
import { checkKeyFields } from "../keys/validate.ts";
import type { KeyDocument } from "../store/keys.ts";

export function newKey(request: CreateKeyRequest, secret: string, pepper: NamedSecret): KeyDocument {
  return {
    _id: newId("key"),
    accountId: request.accountId,
    name: request.name,
    hint: hintOf(secret),
    digest: digestKey(secret, pepper.secret),
    pepperId: pepper.id,
    models: request.models,
    limits: limitsDocument(request.limits),
    createdAt: new Date(),
    expiresAt: dateOf(request.expiresAtMs),
    revokedAt: null,
    version: 1n,
    metadata: request.metadata ?? "{}",
    tags: tagsOf(request.metadata ?? "{}"),
  };
}

/** Creates a key. Its secret is returned here and nowhere else. */
export async function createKey(billing: Billing, request: CreateKeyRequest): Promise<CreateKeyResponse> {
  checkKeyFields(request);
  const { store, settings } = billing;
  if ((await store.accounts.exists({ _id: request.accountId })) === null) {
    throw new GatewayError("not_found", "There is no such account.", { param: "account_id" });
  }
  const secret = generateKey();
  const key = newKey(request, secret, settings.peppers.current);
  const { actor, accountId } = request;
  await billing.transact(async (session) => {
    await store.keys.create([key], { session });
    const after = keySnapshot(key);
    await recordChange(store, session, { actor, action: "key.create", targetId: key._id, accountId, after });
  });
  announceChange(billing, key, "created");
  return { key: keyMessage(key), secret };
}
