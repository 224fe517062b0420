import { GatewayError } from "@uag/kit/errors.ts";
import type { Key, RevokeKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { announceChange } from "../keys/announce.ts";
import { keyMessage } from "../keys/key.ts";
import type { KeyDocument } from "../store/keys.ts";

/** Revokes a key for good; revoking it again changes nothing, but tells the routers once more. */
export async function revokeKey(billing: Billing, request: RevokeKeyRequest): Promise<Key> {
  const { keys } = billing.store;
  const revoke = { $set: { revokedAt: new Date() }, $inc: { version: 1n } };
  const key =
    (await keys
      .findOneAndUpdate({ _id: request.id, revokedAt: null }, revoke, { returnDocument: "after" })
      .lean<KeyDocument>()) ?? (await keys.findById(request.id).lean<KeyDocument>());
  if (key === null) throw new GatewayError("not_found", "There is no such key.", { param: "id" });
  announceChange(billing, key, "revoked");
  return keyMessage(key);
}
