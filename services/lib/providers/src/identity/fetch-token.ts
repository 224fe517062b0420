import type { Provider, Transport } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import { type HttpResponse, send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { redact } from "../redact.ts";
import type { TokenGrant } from "./grants.ts";

/** Tokens of a user with many groups have some 16 KiB. */
const maxBytes = 64 * 1024;
const maxLifeMs = 24 * 3_600_000;
const timeouts = { connectMs: 5_000, firstByteMs: 15_000, betweenChunksMs: 5_000, totalMs: 20_000 };

/** An access token as it was granted. */
export interface Token {
  readonly value: string;
  /** For how long it is valid, milliseconds. */
  readonly lifeMs: number;
}

/** The provider's proxy; its certificates are not those of who grants tokens. */
function transportOf({ proxy }: Transport, guarded: boolean): Transport {
  const files = { caFile: undefined, certFile: undefined, keyFile: undefined };
  const id = `token ${guarded} ${proxy ?? ""}`;
  return { id, proxy, ...files, maxConnections: 4, maxQueued: 64, guarded };
}

/**
 * Fetches an access token (RFC 6749, 4.4; RFC 7523).
 * @throws {UpstreamFailure} `operator` when the credential is refused
 */
export async function fetchToken(pools: HttpPools, grant: TokenGrant, provider: Provider): Promise<Token> {
  const { origin, pathname, search } = new URL(grant.url);
  const response = await send(pools, {
    origin,
    path: pathname + search,
    method: grant.form === undefined ? "GET" : "POST",
    headers: [...grant.headers, "accept", "application/json"],
    body: grant.form && Buffer.from(grant.form().toString()),
    timeouts,
    transport: transportOf(provider.transport, grant.guarded),
    // Calls share the token, so none of their clients ends its fetch.
    signal: new AbortController().signal,
  });
  const fields = fieldsOf(parsedJson((await response.read(maxBytes)).toString("utf8")));
  if (response.status !== 200) throw refusal(response, { fields, grant, provider });
  const value = textOf(fields["access_token"]);
  const seconds = Number(fields["expires_in"]);
  if (value === undefined || !/^[\x21-\x7e]+$/.test(value) || !(seconds > 0))
    throw new UpstreamFailure("transient", `${grant.issuer} sent no token`, { status: response.status });
  return { value, lifeMs: Math.min(seconds * 1_000, maxLifeMs) };
}

function kindOf(status: number): FailureKind {
  if (status === 429) return "capacity";
  if (status === 408 || status >= 500) return "transient";
  return "operator";
}

/** RFC 6749, 5.2. */
function refusal(
  response: HttpResponse,
  { fields, grant, provider }: { fields: Record<string, unknown>; grant: TokenGrant; provider: Provider },
): UpstreamFailure {
  const { status } = response;
  const [line = ""] = (textOf(fields["error_description"]) ?? "").split(/[\r\n]/, 1);
  const code = textOf(fields["error"]);
  const message = redact(`${grant.issuer} refused the credential: ${line || code || `status ${status}`}`, provider);
  return new UpstreamFailure(kindOf(status), `${grant.issuer} returned ${status}`, {
    status,
    reported: { message, code, type: undefined, param: undefined },
    retryAfterMs: retryAfterMs((name) => response.header(name), Date.now()),
  }).of(response);
}
