import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GuardedClient } from "@uag/untrusted/http/guarded";

/**
 * Refuses a URL that leads into a private network, ours or an upstream's, regardless of who would
 * fetch it. Anything that is not a web URL passes.
 * @throws {GatewayError} `invalid_request`, naming `param`
 */
export function checkOutside(url: unknown, param: string, guarded: Pick<GuardedClient, "leadsInside">): void {
  if (typeof url !== "string" || !guarded.leadsInside(url)) return;
  throw new GatewayError("invalid_request", `${param}: The URL's host is not a public address.`, { param });
}
