import { type ClientRequest, type IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Logger } from "@uag/runtime/log";
import { nextTurn } from "@uag/runtime/next-turn";
import { logServerError } from "@uag/runtime/server-error";
import type { Request } from "express";
import { createProxyMiddleware, type RequestHandler } from "http-proxy-middleware";
import { clientAddress } from "./client-address.ts";
import { bodyTooLarge } from "./middleware/body-limits.ts";
import { sendError } from "./middleware/errors.ts";
import type { MountReplicas } from "./mount-replicas.ts";
import { isUnderMount, type Mount, passedHeaders } from "./mounts.ts";
import { ReplicaAgent } from "./replica-agent.ts";
import type { GatewayResponse, Handler } from "./request-state.ts";
import type { Upload, UploadWatch } from "./upload-watch.ts";

/** How long a connection to a service is kept idle, milliseconds, unless that promises less. */
const idleMs = 30_000;

export interface ProxyOptions {
  mount: Mount;
  /** The replicas that serve the path. */
  replicas: MountReplicas;
  /** Maximum silence of the service, and maximum time for a request's body, milliseconds. */
  timeoutMs: number;
  /** Number of our own proxies in front, which are trusted to report a request's origin. */
  trustedHops: number;
  uploads: UploadWatch;
  log: Logger;
}

/** Checks a request to a mount by its head, and removes what its service must not see. */
export function enterMount({ mount, trustedHops }: Pick<ProxyOptions, "mount" | "trustedHops">): Handler {
  return (request, response, next) => {
    if (!isUnderMount(mount, request.originalUrl)) throw new GatewayError("invalid_request", "The path is not valid.");
    if (Number(request.headers["content-length"] ?? 0) > mount.maxBodyBytes) throw bodyTooLarge(mount.maxBodyBytes);
    // The service behind is not asked whether it wants the body: the head is valid, and the limits
    // are ours.
    if (request.headers["expect"] !== undefined) response.writeContinue();
    const secure = trustedHops > 0 && request.headers["x-forwarded-proto"] === "https";
    const from = { address: clientAddress(request, trustedHops), protocol: secure ? "https" : "http" } as const;
    request.headers = passedHeaders(request.headers, mount, from);
    next();
  };
}

/** Proxies a path prefix to one of our HTTP services. */
export function proxyTo(options: ProxyOptions): RequestHandler<Request, GatewayResponse> {
  const setsCookies = options.mount.credentials.includes("cookie");
  const requested = new WeakMap<Request, string>();
  return createProxyMiddleware<Request, GatewayResponse>({
    target: options.replicas.next(),
    router: (request) => {
      const target = options.replicas.next();
      requested.set(request, target);
      return target;
    },
    agent: new ReplicaAgent(options.replicas, { keepAlive: true, timeout: idleMs }),
    changeOrigin: true,
    // Hundreds of responses that arrive in one turn of the event loop are relayed in several.
    selfHandleResponse: true,
    proxyTimeout: options.timeoutMs,
    // Express has stripped the mount path; the service serves the full path.
    pathRewrite: (_path, request) => request.originalUrl,
    on: {
      proxyReq: (outgoing, request, response) => {
        outgoing.setHeader("x-request-id", response.locals.requestId);
        // http-proxy only notices clients that disconnect before their request is complete.
        response.once("close", () => {
          if (!response.writableFinished) outgoing.destroy();
        });
        // The body starts to flow only after this.
        new MountUpload({ ...options, request, response, outgoing }).start();
      },
      proxyRes: async (incoming, _request, response) => {
        await nextTurn();
        if (response.destroyed) incoming.destroy();
        else relayResponse(incoming, response, setsCookies);
      },
      error: (error, request, response) => {
        if (!(response instanceof ServerResponse) || response.locals.failure !== undefined) return;
        const target = requested.get(request);
        // A client's disconnect before the response says nothing about the service.
        if (target !== undefined && !response.destroyed) options.replicas.failed(target);
        const refusal = new GatewayError("service_unavailable", undefined, { cause: error });
        logServerError(options.log, refusal, { requestId: response.locals.requestId });
        fail(request, response, refusal);
      },
    },
  });
}

/** Headers about one connection, which Node sets for the client's (RFC 9110, section 7.6.1). */
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding"];

/** Relays a service's response. If it ends early, so does the client's. */
function relayResponse(incoming: IncomingMessage, response: GatewayResponse, setsCookies: boolean): void {
  const { headers } = incoming;
  for (const name of connectionHeaders) delete headers[name];
  if (!setsCookies) delete headers["set-cookie"];
  headers["x-request-id"] = response.locals.requestId;
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headers);
  incoming.once("error", () => response.destroy());
  incoming.pipe(response);
}

function fail(request: Request, response: GatewayResponse, error: GatewayError): void {
  response.locals.failure = error.code;
  if (response.headersSent) response.destroy();
  else sendError(request, response, error);
}

/**
 * A request body being sent to a service behind a mount: counted, and aborted when it is too long,
 * too late, or stalls.
 */
class MountUpload implements Upload {
  readonly #options: ProxyOptions & { request: Request; response: GatewayResponse; outgoing: ClientRequest };
  received = 0;

  constructor(options: ProxyOptions & { request: Request; response: GatewayResponse; outgoing: ClientRequest }) {
    this.#options = options;
  }

  get waitsForClient(): boolean {
    return !this.#options.request.isPaused();
  }

  start(): void {
    const { request, response, mount, uploads, timeoutMs } = this.#options;
    const late = new GatewayError("request_timeout");
    const timer = setTimeout(() => this.abandon(late), timeoutMs).unref();
    const done = (): void => {
      clearTimeout(timer);
      uploads.delete(this);
    };
    uploads.add(this);
    request.on("data", (chunk: Buffer) => {
      this.received += chunk.length;
      if (this.received > mount.maxBodyBytes) this.abandon(bodyTooLarge(mount.maxBodyBytes));
    });
    request.once("end", done);
    response.once("close", done);
  }

  abandon(error: GatewayError): void {
    const { request, response, outgoing, uploads } = this.#options;
    uploads.delete(this);
    if (response.locals.failure !== undefined) return;
    request.unpipe(outgoing);
    fail(request, response, error);
    outgoing.destroy();
  }
}
