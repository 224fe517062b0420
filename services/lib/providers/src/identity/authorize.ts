import type { Identity } from "@uag/catalog/identity";
import type { Provider } from "@uag/catalog/types";
import { type HttpRequest, type HttpResponse, send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { keyGrantOf } from "./aws-grant.ts";
import { type AwsKey, signed } from "./aws-signature.ts";
import type { Grant, TokenIdentity } from "./grant.ts";
import { grantsOf } from "./grant-cache.ts";
import { tokenGrantOf } from "./token-grants.ts";

/** How requests are authorized by what is granted to an identity. */
interface Authorization<Value> {
  readonly grant: Grant<Value>;
  apply(request: HttpRequest, value: Value): HttpRequest | Promise<HttpRequest>;
  /** The provider does not accept the value, though it has not expired. */
  isRejected(response: HttpResponse): boolean;
}

const authorizations = new WeakMap<Identity, Sending>();

/**
 * Sends a request with its authorization, for a provider whose credential is not an API key; the
 * adapter has set the headers of an API key. A request whose token or temporary key was rejected is sent once more
 * with a new one: they are revoked before they expire, and a rejected request is not charged.
 * @param onRejected called before the second one is sent
 * @throws {UpstreamFailure} as {@link send}, and when none can be fetched
 */
export async function sendAuthorized(
  pools: HttpPools,
  provider: Provider,
  request: HttpRequest,
  onRejected?: () => void,
): Promise<HttpResponse> {
  const { identity } = provider;
  if (identity === undefined) return await send(pools, request);
  let sending = authorizations.get(identity);
  if (sending === undefined) {
    sending = sendingOf(identity);
    authorizations.set(identity, sending);
  }
  return await sending(pools, provider, request, onRejected);
}

type Sending = typeof sendAuthorized;

function sendingOf(identity: Identity): Sending {
  if (identity.type !== "aws" && identity.type !== "aws_role") return byGrant(tokenAuthorization(identity));
  const { region } = identity;
  const apply = (request: HttpRequest, key: AwsKey) => signed(request, { key, region, service: "bedrock" });
  const grant = keyGrantOf(identity);
  if (grant !== undefined) return byGrant({ grant, apply, isRejected: isKeyRejected });
  const key = identity as AwsKey;
  return async (pools, _provider, request) => await send(pools, await apply(request, key));
}

function tokenAuthorization(identity: TokenIdentity): Authorization<string> {
  return {
    grant: tokenGrantOf(identity),
    apply: (request, token) => ({ ...request, headers: ["authorization", `Bearer ${token}`, ...request.headers] }),
    isRejected: ({ status }) => status === 401,
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html */
function isKeyRejected(response: HttpResponse): boolean {
  const rejected = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;
  return response.status === 403 && rejected.test(response.header("x-amzn-errortype") ?? "");
}

function byGrant<Value>({ grant, apply, isRejected }: Authorization<Value>): Sending {
  return async (pools, provider, request, onRejected) => {
    const grants = grantsOf(pools);
    const value = await grants.get(grant, provider);
    const response = await send(pools, await apply(request, value));
    if (!isRejected(response)) return response;
    response.cancel();
    onRejected?.();
    grants.forget(grant, value);
    return await send(pools, await apply(request, await grants.get(grant, provider)));
  };
}
