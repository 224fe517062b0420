import { mountBodyLimits } from "@uag/contract/body-limits";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { routes } from "@uag/contract/routes";
import { queryOf, targetFrom } from "@uag/runtime/http/target";
import { type Request, type Response, Router } from "express";
import type { Dispatcher } from "undici";
import { z } from "zod";
import type { AdminApi } from "../admin-api/client.ts";
import type { DelegatedCredentials } from "../admin-api/credentials.ts";
import { relay } from "../http/relay.ts";
import type { PersonOf } from "../people/authenticate.ts";
import type { Person } from "../people/person.ts";

export interface PlaygroundOptions {
  readonly api: AdminApi;
  readonly credentials: DelegatedCredentials;
  readonly personOf: PersonOf;
  readonly dispatcher: Dispatcher;
  /** Base URL of the public API. */
  readonly gatewayUrl: string;
}

const accountPattern = /^[\w.:-]{1,200}$/;
const accounts = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/**
 * `/console/api/gateway/v1/*`: the public API, with a key that the console holds for the person.
 */
export function playgroundProxy(options: PlaygroundOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const route of routes) {
    const { method, path, maxBodyBytes } = route;
    // A key of an envelope would outlast the session, and is no matter of the playground.
    if (!path.startsWith("/v1/") || path.startsWith("/v1/envelopes")) continue;
    const verb = method.toLowerCase() as "get" | "post" | "delete";
    // The mount lets nothing else through.
    const bodyLimit = Math.min(maxBodyBytes, mountBodyLimits["/console"]);
    router
      .route(path)
      [verb]((request, response) =>
        respond(request, response, { ...options, path, isAccountWide: "query" in route, bodyLimit }),
      );
  }
  return router;
}

/** The account that is charged: the person's own; for an operator the named one, or the first. */
async function accountOf({ user }: Person, named: string | null, first: () => Promise<string>): Promise<string> {
  if (user.accountId !== null) {
    if (named !== null && named !== user.accountId)
      throw new GatewayError("permission_denied", "This is not your account.");
    return user.accountId;
  }
  if (named === null) return first();
  if (!accountPattern.test(named))
    throw new GatewayError("not_found", "The account does not exist.", { param: "account" });
  return named;
}

async function firstAccount({ api, credentials }: PlaygroundOptions, person: Person): Promise<string> {
  const token = await credentials.token(person, "operator");
  const [first] = accounts.parse(await api.call(token, { method: "GET", path: "/accounts?limit=1" })).data;
  if (first === undefined) throw new GatewayError("invalid_request", "No account exists yet.", { param: "account" });
  return first.id;
}

async function respond(
  request: Request,
  response: Response,
  options: PlaygroundOptions & { readonly path: string; readonly isAccountWide: boolean; readonly bodyLimit: number },
): Promise<void> {
  const { credentials, personOf, dispatcher, gatewayUrl, path, isAccountWide, bodyLimit } = options;
  const person = personOf(response);
  if (person.user.role === "member" && isAccountWide)
    throw new GatewayError("permission_denied", "Members can see the cost of their own keys only.");
  if (person.user.role === "auditor")
    throw new GatewayError("permission_denied", "The role auditor cannot spend money.");
  const query = queryOf(request.originalUrl);
  const named = query.get("account");
  query.delete("account");
  const account = await accountOf(person, named, () => firstAccount(options, person));
  const bearer = await credentials.key(person, account);
  const url = gatewayUrl.replace(/\/$/, "") + targetFrom(path, request.params, query);
  if (await relay(request, response, { dispatcher, url, bearer, bodyLimit })) return;
  // The key was revoked elsewhere: the next request gets a new one.
  credentials.dropKey(person, account);
  const cause = new Error("the gateway rejects the session's playground key, which was revoked elsewhere");
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 100, cause });
}
