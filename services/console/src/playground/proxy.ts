import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { mountBodyLimits, routes } from "@uag/contract/routes.ts";
import { type Request, type Response, Router } from "express";
import type { Dispatcher } from "undici";
import { z } from "zod";
import type { BorrowedSecrets } from "../admin-api/borrowed.ts";
import type { AdminApi } from "../admin-api/client.ts";
import { relay } from "../http/relay.ts";
import type { PersonOf } from "../people/enter.ts";
import type { Person } from "../people/person.ts";

export interface PlaygroundOptions {
  readonly api: AdminApi;
  readonly borrowed: BorrowedSecrets;
  readonly personOf: PersonOf;
  readonly dispatcher: Dispatcher;
  /** Base URL of the public API. */
  readonly gatewayUrl: string;
}

const accountPattern = /^[\w.:-]{1,200}$/;
const accounts = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/**
 * `/console/api/gateway/v1/*`: the public API, with a key that the console keeps for the person.
 */
export function playgroundProxy(options: PlaygroundOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const { method, path, maxBodyBytes } of routes) {
    if (!path.startsWith("/v1/")) continue;
    const verb = method.toLowerCase() as "get" | "post" | "delete";
    // What the mount does not let through does not reach us.
    const bodyLimit = Math.min(maxBodyBytes, mountBodyLimits["/console"]);
    router.route(path)[verb]((request, response) => respond(request, response, { ...options, bodyLimit }));
  }
  return router;
}

/** The account that pays: the person's own; an operator names one, or takes the first. */
async function accountOf({ user }: Person, named: string | null, first: () => Promise<string>): Promise<string> {
  if (user.accountId !== null) {
    if (named !== null && named !== user.accountId)
      throw new GatewayError("permission_denied", "That is not your account.");
    return user.accountId;
  }
  if (named === null) return first();
  if (!accountPattern.test(named))
    throw new GatewayError("not_found", "There is no such account.", { param: "account" });
  return named;
}

async function firstAccount({ api, borrowed }: PlaygroundOptions, person: Person): Promise<string> {
  const token = await borrowed.token(person, "operator");
  const [first] = accounts.parse(await api.call(token, { method: "GET", path: "/accounts?limit=1" })).data;
  if (first === undefined) throw new GatewayError("invalid_request", "There is no account yet.", { param: "account" });
  return first.id;
}

async function respond(
  request: Request,
  response: Response,
  options: PlaygroundOptions & { readonly bodyLimit: number },
): Promise<void> {
  const { borrowed, personOf, dispatcher, gatewayUrl, bodyLimit } = options;
  const person = personOf(response);
  if (person.user.role === "auditor") throw new GatewayError("permission_denied", "An auditor spends no money.");
  const inner = new URL(request.originalUrl.slice(request.originalUrl.indexOf("/v1/")), gatewayUrl);
  const named = inner.searchParams.get("account");
  inner.searchParams.delete("account");
  const account = await accountOf(person, named, () => firstAccount(options, person));
  const bearer = await borrowed.key(person, account);
  if (await relay(request, response, { dispatcher, url: inner.href, bearer, bodyLimit })) return;
  // Somebody has revoked the key: the next request gets another.
  borrowed.dropKey(person, account);
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 100 });
}
