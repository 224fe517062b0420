import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { GetKeyRequest, Key } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { keyMessage } from "../keys/fields.ts";

export async function getKey(billing: Billing, request: GetKeyRequest): Promise<Key> {
  const key = await billing.store.keys.findById(request.id).lean<KeyDocument>();
  if (key === null) throw new GatewayError("not_found", "The key does not exist.", { param: "id" });
  return keyMessage(key);
}
