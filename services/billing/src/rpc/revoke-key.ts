import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Key, RevokeKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { closeEnvelopes } from "../envelopes/close.ts";
import { announceChange } from "../keys/announce.ts";
import { changeKey } from "../keys/change-key.ts";
import { keyMessage } from "../keys/fields.ts";

/**
 * Revokes a key permanently and closes the envelopes that it opened, or whose key it is; revoking it
 * again changes nothing, but notifies the routers once more.
 */
export async function revokeKey(billing: Billing, request: RevokeKeyRequest): Promise<Key> {
  const { id, actor } = request;
  let closed: KeyDocument[] = [];
  const key = await changeKey(billing, {
    id,
    actor,
    action: "key.revoke",
    decide: async ({ revokedAt, accountId, envelope }, transaction) => {
      if (revokedAt !== null) return undefined;
      const which = envelope === undefined ? { "envelope.rootKeyId": id } : { chain: envelope.ids[0] as string };
      closed = await closeEnvelopes(billing.store, transaction, { accountId, which });
      return { revokedAt: transaction.at };
    },
  });
  for (const one of [key, ...closed.filter(({ _id }) => _id !== id)]) announceChange(billing, one, "revoked");
  if (closed.length > 0) billing.recall(key.accountId);
  return keyMessage(key);
}
