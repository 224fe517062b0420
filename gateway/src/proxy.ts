import { Agent, ServerResponse } from "node:http";
import { GatewayError } from "@uag/kit/errors.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Request } from "express";
import { createProxyMiddleware, type RequestHandler } from "http-proxy-middleware";
import { sendError } from "./middleware/errors.ts";
import type { GatewayResponse } from "./request-state.ts";

export interface ProxyOptions {
  /** Base URL of the service that serves the path. */
  target: string;
  /** Longest silence of the service, milliseconds. */
  timeoutMs: number;
  log: Logger;
}

/** Hands a path and all below it to an HTTP service of ours, unchanged but for the usual forwarding headers. */
export function proxyTo(options: ProxyOptions): RequestHandler<Request, GatewayResponse> {
  return createProxyMiddleware<Request, GatewayResponse>({
    target: options.target,
    agent: new Agent({ keepAlive: true }),
    changeOrigin: true,
    xfwd: true,
    proxyTimeout: options.timeoutMs,
    // express has taken the mount path off; the service serves the whole path.
    pathRewrite: (_path, request) => request.originalUrl,
    on: {
      proxyReq: (outgoing, _request, response) => outgoing.setHeader("x-request-id", response.locals.requestId),
      proxyRes: (incoming, _request, response) => {
        delete incoming.headers["x-request-id"];
        response.setHeader("x-request-id", response.locals.requestId);
      },
      error: (error, request, response) => {
        if (!(response instanceof ServerResponse)) return;
        options.log.warn({ err: error, request_id: response.locals.requestId }, "proxied service failed");
        response.locals.failure = "service_unavailable";
        if (response.headersSent) response.destroy();
        else sendError(request, response, new GatewayError("service_unavailable", undefined, { cause: error }));
      },
    },
  });
}
