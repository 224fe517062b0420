import { crashPoint } from "@uag/runtime/crash-point";
import { clientAddress } from "../client-address.ts";
import { keyOf } from "../keys/bearer.ts";
import type { KeyCache, ResolvedKey } from "../keys/key-cache.ts";
import type { GatewayResponse, Handler } from "../request-state.ts";

/**
 * Passes requests with a valid key: 401 otherwise, 429 to an address that guesses, 503 when the key
 * cannot be verified.
 */
export function authenticate(keys: KeyCache, trustedHops: number): Handler {
  return (request, response, next) => {
    const secret = keyOf(request, response.locals.route?.keyHeader);
    const known = keys.known(secret);
    if (known !== undefined) return enter(known, response, next);
    return keys.resolve(secret, clientAddress(request, trustedHops)).then((key) => enter(key, response, next));
  };
}

function enter(key: ResolvedKey, response: GatewayResponse, next: () => void): void {
  response.locals.key = key;
  crashPoint("authenticated");
  next();
}
