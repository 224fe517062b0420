import { errorShapeOfPath } from "@uag/contract/errors/shape-of-path";
import type { ErrorShape } from "@uag/contract/errors/shapes";
import type { Request } from "express";
import type { HeaderList } from "./headers.ts";
import type { GatewayResponse } from "./request-state.ts";

/** The error format that this request's client reads. */
export function errorShapeOf(request: Request, response: GatewayResponse): ErrorShape {
  return response.locals.route?.errorShape ?? errorShapeOfPath(request.originalUrl);
}

/** The common headers of every response: ids, duration, and what browsers need. */
export function responseHeaders(request: Request, response: GatewayResponse): HeaderList {
  const { requestId, startedAt } = response.locals;
  const elapsedMs = Math.round(performance.now() - startedAt);
  const list = [
    "x-request-id",
    requestId,
    "openai-processing-ms",
    String(elapsedMs),
    "x-content-type-options",
    "nosniff",
  ];
  if (errorShapeOf(request, response) === "native") list.push("request-id", requestId);
  if (request.headers["origin"] !== undefined && !response.locals.sameOrigin)
    list.push("access-control-allow-origin", "*", "access-control-expose-headers", "*");
  return list;
}

/** Sends a complete JSON response. */
export function sendJson(request: Request, response: GatewayResponse, status: number, json: string): void {
  const headers = responseHeaders(request, response);
  headers.push("content-type", "application/json", "content-length", String(Buffer.byteLength(json)));
  response.writeHead(status, headers);
  response.end(json);
}
