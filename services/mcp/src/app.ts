import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { endUserHeader } from "@uag/contract/end-users";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDisconnect } from "@uag/runtime/http/disconnect";
import { newId } from "@uag/runtime/ids";
import type { OpenRequests } from "@uag/runtime/open-requests";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { Cancellations } from "./cancellations.ts";
import type { Events } from "./events.ts";
import type { Exchange } from "./exchange.ts";
import { ApiError } from "./gateway/api-error.ts";
import type { Files } from "./gateway/files.ts";
import { type KeyModels, keyIdOf } from "./gateway/key-models.ts";
import { bytesWithin, jsonWithin, type PublicApi } from "./gateway/public-api.ts";
import { bearerOf } from "./http/bearer.ts";
import { type HostCheck, hostnameOf } from "./http/hosts.ts";
import { readBody } from "./http/read-body.ts";
import { refuse } from "./http/refuse.ts";
import { Splices } from "./http/splices.ts";
import { pingResponse } from "./ping.ts";
import { createToolServer } from "./tool-server.ts";

export interface AppOptions {
  readonly api: PublicApi;
  readonly files: Files;
  readonly models: KeyModels;
  readonly hosts: HostCheck;
  readonly requests: OpenRequests;
  readonly buffers: BufferBudget;
  readonly events: Events;
  /** Bytes. */
  readonly bodyLimit: number;
}

/**
 * `/mcp`: Streamable HTTP without sessions. Unauthorized requests are refused before their body is
 * read.
 */
export function createApp(options: AppOptions): Express {
  const { events } = options;
  const cancellations = new Cancellations();
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((_request, response, next) => {
    response.once("finish", () => events.responded(response.statusCode));
    next();
  });
  app.use(onlyOurHosts(options.hosts));
  app.post("/mcp", (request, response) => serve(request, response, { ...options, cancellations }));
  // Streams exist only as responses, and there is no session to end.
  app.all("/mcp", (_request, response) => {
    response.setHeader("allow", "POST");
    refuse(response, new GatewayError("method_not_allowed"));
  });
  app.use((_request, response) => refuse(response, new GatewayError("not_found")));
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const error = refusalOf(thrown, response);
    events.refused(error, requestIdOf(request));
    if (response.headersSent) response.destroy();
    else refuse(response, error);
  });
  return app;
}

function refusalOf(error: unknown, response: Response): GatewayError | ApiError {
  if (error instanceof GatewayError || error instanceof ApiError) return error;
  if (isDisconnect(error, response)) return new GatewayError("client_closed_request", undefined, { cause: error });
  return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: error });
}

/** The router's id of a request; one of our own without a router in front. */
const requestIdOf = (request: Request): string => request.get("x-request-id") ?? newId("mcp");

function onlyOurHosts(isOurs: HostCheck) {
  return ({ headers }: Request, _response: Response, next: NextFunction): void => {
    // The router in front reports the host that the client requested.
    const host = headers["x-forwarded-host"] ?? headers.host;
    for (const named of [host, headers.origin]) {
      if (named === undefined) continue;
      const hostname = hostnameOf(String(named));
      if (hostname === undefined || !isOurs(hostname))
        throw new GatewayError("permission_denied", "The Host or Origin header is not allowed; see ALLOWED_HOSTS.");
    }
    next();
  };
}

async function serve(
  request: Request,
  response: Response,
  options: AppOptions & { readonly cancellations: Cancellations },
): Promise<void> {
  const { api, files, models, requests, buffers, events, bodyLimit, cancellations } = options;
  const key = bearerOf(request.headers.authorization);
  const keyId = keyIdOf(key);
  const ofKey = await models.of(key, keyId);
  using _open = requests.open(keyId);
  using lease = buffers.open(keyId);
  const body = await readBody(request, lease, bodyLimit);
  const pong = pingResponse(body, request.get("mcp-protocol-version"));
  if (pong !== undefined) {
    response.json(pong);
    return;
  }
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  const session = request.get("mcp-session-id");
  using _running = cancellations.open(body, session && `${keyId} ${session}`, controller);
  const requestId = requestIdOf(request);
  const splices = new Splices();
  const hold = (bytes: number): Promise<void> | undefined => lease.grow(bytes, controller.signal);
  const exchange: Exchange = {
    requestId,
    idempotencyKey: request.get("idempotency-key"),
    models: ofKey,
    signal: controller.signal,
    events,
    splices,
    call: (requested) => api.call(key, { ...requested, endUser: request.get(endUserHeader) }),
    hold,
    readBytes: (response, limit) => bytesWithin(response, limit, hold),
    readJson: (response, limit) => jsonWithin(response, limit, hold),
    isOwnFile: (url) => files.isOwn(url),
    async fetchFile(url, limit) {
      lease.take(limit);
      const file = await files
        .fetch(url, { key, owner: keyId, limit, signal: controller.signal })
        .finally(() => lease.give(limit));
      lease.take(file.bytes.length);
      return file;
    },
  };
  if (isInitialize(body)) response.setHeader("mcp-session-id", newId("session"));
  // The library itself renders the 500 of a fault.
  const failed = (cause: unknown): void => {
    if (!isDisconnect(cause, response))
      events.refused(new GatewayError("internal_error", undefined, { cause }), requestId);
  };
  let fault: Error | undefined;
  const onerror = (error: Error): void => {
    fault = error;
    events.rejected(error);
  };
  const handler = createMcpHandler(() => createToolServer(exchange), { onerror });
  // The adapter would serialize the request's body again, all at once: it gets an empty one.
  const fetch: typeof handler.fetch = async (asked, given) => {
    const responded = await handler.fetch(asked, { ...given, parsedBody: body });
    // It promises to keep the connection, but the server may be about to close.
    responded.headers.delete("connection");
    if (responded.status >= 500) failed(fault);
    return splices.into(responded);
  };
  await toNodeHandler({ fetch }, { onerror: failed })(request, response, {});
}

const isInitialize = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "method" in body && body.method === "initialize";
