import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { type AdminOperation, type AdminRoute, adminRoutes } from "@uag/contract/routes.ts";
import { queryOf, targetFrom } from "@uag/kit/http/target.ts";
import type { Request, Response } from "express";
import { Router } from "express";
import type { Dispatcher } from "undici";
import { readJson } from "../http/read-json.ts";
import { relay } from "../http/relay.ts";
import { grantOf } from "../people/access.ts";
import { addressOf, type PersonOf } from "../people/authenticate.ts";
import type { Person } from "../people/person.ts";
import type { AdminApi } from "./client.ts";
import type { DelegatedCredentials } from "./credentials.ts";
import { type AdminRequest, confineMember, listOwnKeys, withMaker } from "./members.ts";

export interface AdminProxyOptions {
  readonly api: AdminApi;
  readonly credentials: DelegatedCredentials;
  readonly personOf: PersonOf;
  readonly dispatcher: Dispatcher;
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
  const body = await bodyOf(request, requested, route);
  const url = adminUrl.replace(/\/$/, "") + targetFrom(route.path.slice(prefix.length), request.params, query);
  const from = addressOf(request);
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
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 100 });
}

/** A key's creator is set by the console, and stays when the key is changed. */
async function bodyOf(
  request: Request,
  requested: AdminRequest,
  { operation, maxBodyBytes }: AdminRoute<AdminOperation>,
): Promise<object | undefined> {
  if (operation !== "admin.keys.create" && operation !== "admin.keys.update") return undefined;
  return withMaker(requested, await readJson(request, maxBodyBytes), operation);
}
