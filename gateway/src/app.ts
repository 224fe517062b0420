import { type BodyKind, type QueryName, type Route, routes, type ServiceName } from "@uag/contract/routes";
import type { LinkClient } from "@uag/link/client";
import type { HealthCheck } from "@uag/runtime/health";
import type { Logger } from "@uag/runtime/log";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import type { FreeLimits } from "@uag/untrusted/free-limits";
import express, { type Express } from "express";
import { type AdminOptions, mountAdmin } from "./admin/mount.ts";
import { type ForwardOptions, forward } from "./forward.ts";
import { reference } from "./handlers/docs.ts";
import { frontPage, greeting, live, type ProbePath, ready, redirectTo } from "./handlers/probes.ts";
import { receiptKeys } from "./handlers/receipt.ts";
import type { KeyCache } from "./keys/key-cache.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { checkBodyHead } from "./middleware/body-limits.ts";
import { preflight } from "./middleware/cors.ts";
import { notFound, renderErrors } from "./middleware/errors.ts";
import { limitFree } from "./middleware/limit-free.ts";
import { methodNotAllowed } from "./middleware/method-not-allowed.ts";
import { requestId } from "./middleware/request-id.ts";
import { traceRequests } from "./middleware/trace.ts";
import type { MountReplicas } from "./mount-replicas.ts";
import type { Mount } from "./mounts.ts";
import { enterMount, proxyTo } from "./proxy.ts";
import type { ReceiptSigner } from "./receipts/signature.ts";
import type { Handler } from "./request-state.ts";
import { verbs } from "./verbs.ts";

export interface AppOptions {
  log: Logger;
  /** Counts, times and logs requests. */
  observe: Handler;
  /** Undefined: requests have no spans. */
  tracing: Tracing | undefined;
  keys: KeyCache;
  /** A route whose service or query is missing here does not exist. */
  links: Partial<Record<ServiceName, LinkClient>>;
  queries: Partial<Record<QueryName, Handler>>;
  /** Undefined: receipts are not signed. */
  signer: ReceiptSigner | undefined;
  /** Undefined: this server has no admin API. */
  admin: AdminOptions | undefined;
  /** Number of our own proxies in front, which are trusted to report a client's address. */
  trustedHops: number;
  /** The services behind mounts; a mount without one does not exist. */
  proxies: readonly { readonly mount: Mount; readonly replicas: MountReplicas }[];
  /** The deployment's maximum for each kind of body, bytes; a route may allow less. */
  bodyLimits: Readonly<Record<BodyKind, number>>;
  deadlineMs: number;
  /** Limits on free requests. */
  freeLimits: FreeLimits;
  uploads: ForwardOptions["uploads"];
  open: ForwardOptions["open"];
  readiness: Record<string, HealthCheck>;
}

/** Creates an application without routes, and without express's own response headers. */
export function bareApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  return app;
}

/** Mounts public, read-only paths. */
export function mountReads(app: Express, handlers: Readonly<Record<string, Handler>>): void {
  for (const [path, handler] of Object.entries(handlers))
    app
      .route(path)
      .get(handler)
      .options(preflight(["GET"]))
      .all(methodNotAllowed(["GET"]));
}

/** Builds the public server's application: every step of a request, in order. */
export function createApp(options: AppOptions): Express {
  const { log } = options;
  const app = bareApp();
  app.use(requestId);
  app.use(options.observe);
  if (options.tracing !== undefined) app.use(traceRequests(options.tracing));
  for (const [path, ofPath] of Map.groupBy(servedRoutes(options), ([route]) => route.path)) {
    const methods = ofPath.map(([route]) => route.method);
    const at = app.route(path);
    for (const [route, respond] of ofPath) at[verbs[route.method]](...stepsOf(route, respond, options));
    at.options(preflight(methods));
    at.all(methodNotAllowed(methods));
  }
  if (options.admin !== undefined) mountAdmin(app, options.admin);
  const pages = reference(options.admin === undefined ? ["public"] : ["public", "admin"]);
  const hasConsole = options.proxies.some(({ mount }) => mount.path === "/console");
  mountReads(app, probes(options, hasConsole ? redirectTo("/console") : (pages["/docs"] ?? greeting)));
  mountReads(app, pages);
  const { uploads, trustedHops, deadlineMs: timeoutMs } = options;
  for (const { mount, replicas } of options.proxies) {
    const proxied = { mount, replicas, timeoutMs, trustedHops, uploads, log };
    app.use(mount.path, enterMount(proxied), proxyTo(proxied));
  }
  app.use(notFound);
  app.use(renderErrors(log));
  return app;
}

/** @param forPeople the page that a browser gets at `/` */
function probes(options: AppOptions, forPeople: Handler): Record<ProbePath, Handler> {
  return {
    "/": frontPage(forPeople),
    "/api/hello": greeting,
    "/health/live": live,
    "/health/ready": ready(options.readiness),
    "/health": ready(options.readiness),
    "/.well-known/jwks.json": receiptKeys(options.signer),
  };
}

/**
 * The order of checks: key, then what the head says about the body, then the body itself. Billed
 * requests are limited by their service.
 */
function stepsOf(route: Route, respond: Handler, options: AppOptions): Handler[] {
  const enter: Handler = (_request, response, next) => {
    response.locals.route = route;
    next();
  };
  const checks = [enter, authenticate(options.keys, options.trustedHops), checkBodyHead(route)];
  return route.billing === "none" ? [...checks, limitFree(options.freeLimits), respond] : [...checks, respond];
}

/** The routes that have a service or query, each with its handler. */
function servedRoutes(options: AppOptions): [Route, Handler][] {
  return routes.flatMap((row): [Route, Handler][] => {
    const route = { ...row, maxBodyBytes: Math.min(row.maxBodyBytes, options.bodyLimits[row.body]) };
    const response = responseOf(route, options);
    return response === undefined ? [] : [[route, response]];
  });
}

function responseOf(route: Route, options: AppOptions): Handler | undefined {
  if ("query" in route) return options.queries[route.query];
  const link = options.links[route.service];
  if (link === undefined) return undefined;
  const { log, uploads, open, deadlineMs } = options;
  return forward({ route, link, log, uploads, open, deadlineMs });
}
