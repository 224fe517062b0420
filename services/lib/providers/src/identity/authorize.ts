import type { Provider } from "@uag/catalog/types";
import type { HttpRequest } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { tokenGrantOf } from "./grants.ts";
import { tokensOf } from "./token-cache.ts";

/** What of a call an authorization depends on. */
type Unauthorized = Pick<HttpRequest, "path" | "method" | "headers" | "body">;

/**
 * The headers of a call with its authorization, for a provider whose credential is not an API key;
 * the adapter has set the headers of an API key.
 * @throws {UpstreamFailure} when no token can be fetched
 */
export async function authorized(
  pools: HttpPools,
  provider: Provider,
  { headers }: Unauthorized,
): Promise<readonly string[]> {
  const { identity } = provider;
  if (identity === undefined) return headers;
  const token = await tokensOf(pools).get(tokenGrantOf(identity), provider);
  return ["authorization", `Bearer ${token}`, ...headers];
}

/** A provider rejected the token that a call had: the next call fetches another. */
export function rejected(pools: HttpPools, { identity }: Provider): void {
  if (identity !== undefined) tokensOf(pools).forget(tokenGrantOf(identity));
}
