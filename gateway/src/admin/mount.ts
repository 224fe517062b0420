import { GatewayError } from "@uag/contract/errors/gateway-error";
import { pathFields } from "@uag/contract/requests/admin-fields";
import type { Method } from "@uag/contract/routes";
import type { Express, Request } from "express";
import { clientAddress } from "../client-address.ts";
import { checkBodyHead } from "../middleware/body-limits.ts";
import { allowHeader, methodNotAllowed } from "../middleware/method-not-allowed.ts";
import { inOurNames } from "../param-names.ts";
import type { GatewayResponse, Handler } from "../request-state.ts";
import { verbs } from "../verbs.ts";
import type { AdminResponse } from "./admin.ts";
import type { AdminAuthenticator } from "./authenticate.ts";
import type { AdminClients } from "./clients.ts";
import { confine } from "./confine.ts";
import { readJson } from "./read-json.ts";
import type { Replicas } from "./replicas.ts";
import { type AdminRow, adminRows } from "./routes.ts";
import { sendCompressed } from "./send-compressed.ts";

export interface AdminOptions {
  readonly clients: AdminClients;
  readonly replicas: Replicas;
  readonly authenticator: AdminAuthenticator;
  /** The number of our own proxies in front, which are trusted to report a client's address. */
  readonly trustedHops: number;
  /** Whether of these the console alone is believed, by its proof. */
  readonly behindConsole: boolean;
  /** The public base URL of the gateway, without a trailing slash. */
  readonly publicUrl: string;
}

/** The id in the path. A malformed id is treated as unknown. */
function idOf(request: Request): string {
  const id = request.params["id"];
  if (id === undefined) return "";
  const checked = pathFields.id.safeParse(id);
  if (checked.success) return checked.data;
  throw new GatewayError("not_found", "No resource has this id.", { param: "id" });
}

async function addressOf(
  request: Request,
  { authenticator, trustedHops, behindConsole }: AdminOptions,
): Promise<string> {
  const peer = clientAddress(request, 0);
  const believed = !behindConsole || (trustedHops > 0 && (await authenticator.isFromConsole(request, peer)));
  return believed ? clientAddress(request, trustedHops) : peer;
}

/**
 * Passes on requests with a valid token of an allowed role; nothing else of a request is read
 * before.
 */
function authenticate({ access }: AdminRow, options: AdminOptions): Handler {
  return async (request, response, next) => {
    const { requestId } = response.locals;
    const admin = await options.authenticator.enter(request, { address: await addressOf(request, options), requestId });
    if (!access.roles.includes(admin.role)) {
      throw new GatewayError("permission_denied", "This admin token's role does not allow this request.");
    }
    response.locals.admin = admin;
    next();
  };
}

async function respond(
  row: AdminRow,
  { clients, replicas, publicUrl }: AdminOptions,
  { request, response }: { request: Request; response: GatewayResponse },
): Promise<AdminResponse | undefined> {
  const { admin } = response.locals;
  if (admin === undefined) throw new Error("a handler runs only with an admin token");
  const id = idOf(request);
  const body = row.body === "json" ? await readJson(request, { response, limit: row.maxBodyBytes }) : undefined;
  const { actor } = admin;
  const call = { clients, replicas, admin, actor, id, url: request.originalUrl, body, publicUrl, request, response };
  return row.handler(await confine(call, row.access));
}

function handlerOf(row: AdminRow, options: AdminOptions): Handler {
  return async (request, response) => {
    const given = await respond(row, options, { request, response }).catch((error: unknown) => {
      throw inOurNames(error);
    });
    if (given !== undefined) await sendCompressed(request, response, { status: given.status ?? 200, body: given.body });
  };
}

/** Pages of other origins have no access: neither preflights nor responses allow any. */
const keepToOrigin: Handler = (_request, response, next) => {
  response.locals.sameOrigin = true;
  next();
};

/** Lists the methods of a path; a browser's preflight is not allowed anything. */
function allowed(methods: readonly Method[]): Handler {
  const allow = allowHeader(methods);
  return (_request, response) => {
    response.writeHead(204, { allow, "x-request-id": response.locals.requestId }).end();
  };
}

/** Adds the admin API to an application: JSON in front of billing's and metering's unary calls. */
export function mountAdmin(app: Express, options: AdminOptions): void {
  app.use("/admin", keepToOrigin);
  for (const [path, rows] of Map.groupBy(adminRows, (row) => row.path)) {
    const methods = rows.map((row) => row.method);
    const at = app.route(path);
    for (const row of rows) {
      const enter: Handler = (_request, response, next) => {
        response.locals.route = row;
        next();
      };
      const steps = [enter, authenticate(row, options), checkBodyHead(row), handlerOf(row, options)];
      at[verbs[row.method]](...steps);
    }
    at.options(allowed(methods));
    at.all(methodNotAllowed(methods));
  }
}
