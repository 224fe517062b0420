import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";

/** The error for a response that is not stored, or that is another account's. */
export function responseNotFound({ storesResponses }: Caller, id: string): GatewayError {
  const why =
    storesResponses === true
      ? "Responses are stored for 30 days, unless their request has store: false."
      : "This account does not store responses: its administrator can turn on store_responses.";
  return new GatewayError("not_found", `Response with id '${id.slice(0, 200)}' not found. ${why}`, { param: "id" });
}
