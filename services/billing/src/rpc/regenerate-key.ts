import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { RegenerateKeyRequest } from "@uag/proto/billing/v1/admin.ts";
import type { CreateKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { digestKey, generateKey } from "@uag/runtime/api-key";
import type { Billing } from "../billing.ts";
import { refuseEnvelopeKey } from "../envelopes/fields.ts";
import { announceChange } from "../keys/announce.ts";
import { changeKey, type KeyChange } from "../keys/change-key.ts";
import { keyMessage } from "../keys/fields.ts";
import { hintOf } from "../keys/hint.ts";

const maxOverlapMs = 30n * 86_400_000n;
/** Replaced secrets to keep, so that their users learn that they have expired. */
const maxKept = 10;

function replaced(key: KeyDocument, until: Date): KeyDocument["previous"] {
  const earlier = (key.previous ?? []).map((secret) => ({
    digest: secret.digest,
    until: secret.until < until ? secret.until : until,
  }));
  return [...earlier, { digest: key.digest, until }].slice(-maxKept);
}

/** Gives a key a new secret; all earlier ones expire with the overlap at the latest. */
export async function regenerateKey(billing: Billing, request: RegenerateKeyRequest): Promise<CreateKeyResponse> {
  const { overlapMs, id, actor } = request;
  if (overlapMs < 0n || overlapMs > maxOverlapMs) {
    throw new GatewayError("invalid_request", "The overlap must be between 0 and 30 days.", { param: "overlap_ms" });
  }
  const secret = generateKey();
  const pepper = billing.settings.peppers.current;
  const decide: KeyChange["decide"] = (key, { at }) => {
    refuseEnvelopeKey(key);
    if (key.revokedAt !== null) throw new GatewayError("invalid_request", "The key is revoked.", { param: "id" });
    return {
      digest: digestKey(secret, pepper.secret),
      pepperId: pepper.id,
      hint: hintOf(secret),
      previous: replaced(key, new Date(at.getTime() + Number(overlapMs))) ?? [],
    };
  };
  const key = await changeKey(billing, { id, actor, action: "key.regenerate", decide });
  announceChange(billing, key, "regenerated");
  return { key: keyMessage(key), secret };
}
