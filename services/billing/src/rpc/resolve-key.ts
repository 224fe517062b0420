import { GatewayError } from "@uag/kit/errors.ts";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { callerMessage } from "../keys/key.ts";
import type { KeyDocument } from "../store/keys.ts";

/** The router's look-up. A revoked or expired key is found: the router turns it away, and may remember that. */
export async function resolveKey(billing: Billing, request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
  const { keys } = billing.store;
  const { digest } = request;
  const key =
    (await keys.findOne({ digest }).lean<KeyDocument>()) ??
    (await keys.findOne({ "previous.digest": digest }).lean<KeyDocument>());
  if (key === null) throw new GatewayError("not_found", "There is no such key.");
  return { caller: callerMessage(key, digest), revoked: key.revokedAt !== null };
}
