import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import { retryHeaders } from "@uag/contract/errors/retry-headers";
import { errorText } from "@uag/contract/errors/shapes";
import { errorTable } from "@uag/contract/errors/table";
import { routes } from "@uag/contract/routes";
import type { Logger } from "@uag/runtime/log";
import { logServerError } from "@uag/runtime/server-error";
import type { NextFunction, Request } from "express";
import { discardBody } from "../discard.ts";
import { notOfferedText } from "../not-offered.ts";
import type { GatewayResponse, Handler } from "../request-state.ts";
import { errorShapeOf, responseHeaders } from "../respond.ts";

/**
 * The public paths start with one `/v1`; clients that add their own to a base URL that already has
 * it end up here.
 */
const doubled = /^\/v1\/v1\//;

/** Clients of proxies that also serve the paths without `/v1` have a base URL without it. */
const lacksVersion = ({ path }: Request): boolean => routes.some((route) => route.path === `/v1${path}`);

function hintOf(request: Request): string {
  const notOffered = notOfferedText(request.path);
  if (notOffered !== undefined) return notOffered;
  if (doubled.test(request.url)) return "Leave /v1 out of the client's base URL.";
  if (lacksVersion(request)) return "Add /v1 to the client's base URL.";
  return "GET /openapi.json lists the paths; text is generated at /v1/chat/completions and /v1/messages.";
}

/** No route has this path. */
export const notFound: Handler = (request) => {
  throw new GatewayError("not_found", `${errorTable.not_found.text} ${hintOf(request)}`);
};

type ErrorHandler = (thrown: unknown, request: Request, response: GatewayResponse, next: NextFunction) => void;

/** Renders anything thrown as an error in the route's format. */
export function renderErrors(log: Logger): ErrorHandler {
  return (thrown, request, response, _next) => {
    const error = knownError(thrown);
    response.locals.failure = error.code;
    logServerError(log, error, { requestId: response.locals.requestId });
    if (response.headersSent) response.destroy();
    else sendError(request, response, error);
  };
}

/** express itself throws errors with a 4xx status for paths that cannot be decoded. */
function knownError(thrown: unknown): GatewayError {
  const status = thrown instanceof Error && "status" in thrown ? thrown.status : undefined;
  return status === 400 ? new GatewayError("invalid_request", "The path is not valid.") : toGatewayError(thrown);
}

/** With more of the body than this outstanding, a new connection is cheaper. */
const keepAliveBytes = 1024 * 1024;

/** Sends the error as a complete response, whether or not the request's body has arrived. */
export function sendError(request: Request, response: GatewayResponse, error: GatewayError): void {
  response.locals.refused = error;
  const body = errorText(errorShapeOf(request, response), { error, requestId: response.locals.requestId });
  const headers = responseHeaders(request, response);
  headers.push("content-type", "application/json", "content-length", String(Buffer.byteLength(body)));
  headers.push(...retryHeaders(error));
  const { allow } = response.locals;
  if (allow !== undefined) headers.push("allow", allow);
  const closing = !request.complete && bodyIsCostly(request);
  if (closing) headers.push("connection", "close");
  else if (error.httpStatus === 426) headers.push("connection", "upgrade", "upgrade", "HTTP/1.1");
  response.writeHead(error.httpStatus, headers);
  if (request.complete || request.headers["expect"] !== undefined) {
    response.end(body);
    return;
  }
  // The client has the complete response now; its end waits until the client has stopped writing.
  response.write(body);
  discardBody(request, () => response.end());
}

function bodyIsCostly(request: Request): boolean {
  const { headers } = request;
  if (headers["expect"] !== undefined || headers["transfer-encoding"] !== undefined) return true;
  return Number(headers["content-length"] ?? 0) > keepAliveBytes;
}
