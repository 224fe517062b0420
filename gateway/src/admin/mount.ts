import { GatewayError } from "@uag/kit/errors.ts";
import type { Express, Request } from "express";
import { checkBodyHead } from "../middleware/body-limits.ts";
import { preflight } from "../middleware/cors.ts";
import { methodNotAllowed } from "../middleware/method-not-allowed.ts";
import type { GatewayResponse, Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";
import { verbs } from "../routes.ts";
import type { AdminAnswer, AdminClients } from "./admin.ts";
import { adminOf } from "./authenticate.ts";
import { jsonText } from "./json.ts";
import { readJson } from "./read-json.ts";
import { type AdminRow, adminRoutes } from "./routes.ts";

export interface AdminOptions {
  readonly clients: AdminClients;
  /** Of the HMAC over tokens; the same as billing's. */
  readonly pepper: Buffer;
}

const bodyLimit = 256 * 1024;
const idPattern = /^[\w.:-]{1,200}$/;

/** What billing and metering call the fields that a client of this API has named otherwise. */
const paramNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "page.cursor": "after",
    "page.limit": "limit",
    cursor: "after",
    amount_nano_usd: "amount_usd",
    cost_nano_usd: "cost_usd",
    expires_at_ms: "expires",
    overlap_ms: "overlap_seconds",
  }),
);

function inOurNames(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.param === undefined) return error;
  const { param, retryAfterMs, cause } = error;
  return new GatewayError(error.code, error.message, { param: paramNames.get(param) ?? param, retryAfterMs, cause });
}

/** The id in the path. One that cannot be ours is one that does not exist. */
function idOf(request: Request): string {
  const id = request.params["id"];
  if (id === undefined) return "";
  if (typeof id === "string" && idPattern.test(id)) return id;
  throw new GatewayError("not_found", "There is nothing of that id.", { param: "id" });
}

/** Lets a request pass that carries a good token: before that nothing of it is looked at. */
function authenticateAdmin({ clients, pepper }: AdminOptions): Handler {
  return async (request, response, next) => {
    const { requestId } = response.locals;
    response.locals.actor = await adminOf(request, { clients, pepper, requestId });
    next();
  };
}

async function answer(
  row: AdminRow,
  { clients }: AdminOptions,
  { request, response }: { request: Request; response: GatewayResponse },
): Promise<AdminAnswer | undefined> {
  const { actor } = response.locals;
  if (actor === undefined) throw new Error("a request is answered only with an admin token");
  const id = idOf(request);
  const body = row.body === "json" ? await readJson(request, { response, limit: bodyLimit }) : undefined;
  return row.handler({ clients, actor, id, url: request.originalUrl, body, request, response });
}

function handlerOf(row: AdminRow, options: AdminOptions): Handler {
  return async (request, response) => {
    const given = await answer(row, options, { request, response }).catch((error: unknown) => {
      throw inOurNames(error);
    });
    if (given !== undefined) sendJson(request, response, given.status ?? 200, jsonText(given.body));
  };
}

/** Adds the admin API to the application: JSON in front of billing's and metering's unary calls. */
export function mountAdmin(app: Express, options: AdminOptions): void {
  const limits = { json: bodyLimit, multipart: 0 };
  const authenticate = authenticateAdmin(options);
  for (const [path, rows] of Map.groupBy(adminRoutes, (row) => row.path)) {
    const methods = rows.map((row) => row.method);
    const at = app.route(path);
    for (const row of rows) {
      const enter: Handler = (_request, response, next) => {
        response.locals.route = row;
        next();
      };
      at[verbs[row.method]](enter, authenticate, checkBodyHead(row.body, limits), handlerOf(row, options));
    }
    at.options(preflight(methods));
    at.all(methodNotAllowed(methods));
  }
}
