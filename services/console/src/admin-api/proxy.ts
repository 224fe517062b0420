import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AdminOperation, type AdminRoute, adminRoutes } from "@uag/contract/routes";
import { queryOf, targetFrom } from "@uag/runtime/http/target";
import type { Request, Response } from "express";
import { Router } from "express";
import type { Dispatcher } from "undici";
import { readJson } from "../http/read-json.ts";
import { relay } from "../http/relay.ts";
import { grantOf } from "../people/access.ts";
import { addressOf, type PersonOf } from "../people/authenticate.ts";
import type { ParsedLimits } from "../people/key-limits.ts";
import { type LimitParts, limitMember } from "../people/limit-member.ts";
import type { Person } from "../people/person.ts";
import type { UserDocument } from "../store/users.ts";
import type { AdminApi } from "./client.ts";
import type { DelegatedCredentials } from "./credentials.ts";
import { keyBodyOf, limitsAfter } from "./key-body.ts";
import { type AdminRequest, confineMember, listOwnKeys } from "./members.ts";

export interface AdminProxyOptions extends LimitParts {
  readonly api: AdminApi;
  readonly personOf: PersonOf;
  readonly dispatcher: Dispatcher;
  /** The console's own admin token. */
  readonly ownToken: string;
  /** Base URL of the admin API. */
  readonly adminUrl: string;
}

const prefix = "/admin/v1";

/**
 * `/console/api/admin/v1/*`: the admin API, restricted to what the person's role may call. Paths
 * without a route are not found.
 */
export function adminProxy(options: AdminProxyOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const route of adminRoutes) {
    const verb = route.method.toLowerCase() as "get" | "post" | "patch" | "delete";
    router.route(route.path)[verb]((request, response) => respond(request, response, { ...options, route }));
  }
  return router;
}

async function respond(
  request: Request,
  response: Response,
  options: AdminProxyOptions & { readonly route: AdminRoute<AdminOperation> },
): Promise<void> {
  const { api, credentials, personOf, route, adminUrl, dispatcher } = options;
  const person = personOf(response);
  const grant = grantOf(person.user.role, route.operation);
  if (grant === undefined) throw new GatewayError("permission_denied", "Your role does not allow that.");
  const token = await credentials.token(person, grant.token);
  const query = queryOf(request.originalUrl);
  const requested: AdminRequest = { api, token, person, query, id: String(request.params["id"] ?? "") };
  await confineMember(requested, grant.rule);
  if (grant.rule === "list") {
    response.setHeader("cache-control", "no-store").json(await listOwnKeys(requested));
    return;
  }
  const body = await bodyOf(request, requested, options);
  const url = adminUrl.replace(/\/$/, "") + targetFrom(route.path.slice(prefix.length), request.params, query);
  const from = { address: addressOf(request), proof: options.ownToken };
  const bodyLimit = route.maxBodyBytes;
  if (await relay(request, response, { dispatcher, url, bearer: token, bodyLimit, body, from })) return;
  refused(credentials, person, grant.token);
}

/** The token was revoked elsewhere: the next request gets a new one. */
function refused(
  credentials: DelegatedCredentials,
  person: Person,
  role: Parameters<DelegatedCredentials["token"]>[1],
): never {
  credentials.dropToken(person, role);
  const cause = new Error("the admin API rejects the session's token, which was revoked elsewhere");
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 100, cause });
}

async function bodyOf(
  request: Request,
  requested: AdminRequest,
  options: AdminProxyOptions & { readonly route: AdminRoute<AdminOperation> },
): Promise<object | undefined> {
  const { operation, maxBodyBytes } = options.route;
  if (operation !== "admin.keys.create" && operation !== "admin.keys.update") return undefined;
  const { body, change } = await keyBodyOf(requested, await readJson(request, maxBodyBytes), operation);
  if (change !== undefined) await keepLimits(requested.person, change, options);
  return body;
}

/**
 * Limits that somebody sets on a member's key are the member's from then on: otherwise the member
 * would create another key without them.
 */
async function keepLimits(
  { user: changer, actor }: Person,
  { makerId, limits }: { readonly makerId: unknown; readonly limits: ParsedLimits },
  options: LimitParts,
): Promise<void> {
  if (typeof makerId !== "string" || makerId === changer._id || Object.keys(limits).length === 0) return;
  const user = await options.store.users.findOne({ _id: makerId, role: "member" }).lean<UserDocument>();
  if (user === null || (changer.accountId !== null && changer.accountId !== user.accountId)) return;
  const { keyLimits = {} } = user;
  const after = limitsAfter(keyLimits, limits);
  if (!isDeepStrictEqual(after, keyLimits)) await limitMember(options, { actor, user, limits: after });
}
