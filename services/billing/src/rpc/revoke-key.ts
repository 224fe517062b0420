import type { Key, RevokeKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { announceChange } from "../keys/announce.ts";
import { changeKey } from "../keys/change-key.ts";
import { keyMessage } from "../keys/fields.ts";

/**
 * Revokes a key permanently; revoking it again changes nothing, but notifies the routers once more.
 */
export async function revokeKey(billing: Billing, request: RevokeKeyRequest): Promise<Key> {
  const key = await changeKey(billing, {
    id: request.id,
    actor: request.actor,
    action: "key.revoke",
    decide: (before, { at }) => (before.revokedAt === null ? { revokedAt: at } : undefined),
  });
  announceChange(billing, key, "revoked");
  return keyMessage(key);
}
