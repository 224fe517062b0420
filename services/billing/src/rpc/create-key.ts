import { digestKey, generateKey } from "@uag/kit/api-key.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { newId } from "@uag/kit/ids.ts";
import type { CreateKeyRequest, CreateKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { announceChange } from "../keys/announce.ts";
import { dateOf, hintOf, keyMessage, limitsDocument } from "../keys/key.ts";
import { checkKeyFields } from "../keys/validate.ts";
import type { KeyDocument } from "../store/keys.ts";

/** Makes a key. Its secret is in this answer and nowhere else. */
export async function createKey(billing: Billing, request: CreateKeyRequest): Promise<CreateKeyResponse> {
  checkKeyFields(request);
  if ((await billing.store.accounts.exists({ _id: request.accountId })) === null) {
    throw new GatewayError("not_found", "There is no such account.", { param: "account_id" });
  }
  const secret = generateKey();
  const key: KeyDocument = {
    _id: newId("key"),
    accountId: request.accountId,
    name: request.name,
    hint: hintOf(secret),
    digest: digestKey(secret, billing.settings.pepper),
    models: request.models,
    limits: limitsDocument(request.limits),
    createdAt: new Date(),
    expiresAt: dateOf(request.expiresAtMs),
    revokedAt: null,
    version: 1n,
  };
  await billing.store.keys.create(key);
  announceChange(billing, key, "created");
  return { key: keyMessage(key), secret };
}
