import type { Provider } from "@uag/catalog/types";
import { type HttpRequest, type HttpResponse, send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { signed } from "./aws-signature.ts";
import { tokenGrantOf } from "./grants.ts";
import { tokensOf } from "./token-cache.ts";

/**
 * Sends a request with its authorization, for a provider whose credential is not an API key; the
 * adapter has set the headers of an API key. A request whose token was rejected is sent once more
 * with a new one: tokens are revoked before they expire, and a rejected request is not charged.
 * @param onRejected called before the second one is sent
 * @throws {UpstreamFailure} as {@link send}, and when no token can be fetched
 */
export async function sendAuthorized(
  pools: HttpPools,
  provider: Provider,
  request: HttpRequest,
  onRejected?: () => void,
): Promise<HttpResponse> {
  const { identity } = provider;
  if (identity === undefined) return await send(pools, request);
  if (identity.type === "aws") return await send(pools, await signed(request, identity));
  const tokens = tokensOf(pools);
  const grant = tokenGrantOf(identity);
  const sendWith = (token: string) =>
    send(pools, { ...request, headers: ["authorization", `Bearer ${token}`, ...request.headers] });
  const token = await tokens.get(grant, provider);
  const response = await sendWith(token);
  if (response.status !== 401) return response;
  response.cancel();
  onRejected?.();
  tokens.forget(grant, token);
  return await sendWith(await tokens.get(grant, provider));
}
