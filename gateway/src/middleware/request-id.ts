import { GatewayError } from "@uag/contract/errors/gateway-error";
import { newId } from "@uag/runtime/ids";
import { countHeader } from "../headers.ts";
import type { Handler } from "../request-state.ts";

/**
 * More headers than any client sends; the server's limit is one higher, so that an excess is
 * detected.
 */
export const maxHeaders = 200;

/**
 * A request target in origin form, the only one that the code behind reads: RFC 9112, 3.2.2
 * requires servers to accept the absolute form as well.
 * @throws {GatewayError} `invalid_request` for a fragment: parsers disagree on where it ends the
 * path
 */
function originForm(target: string): string {
  if (target.includes("#"))
    throw new GatewayError("invalid_request", "The URL has a fragment. Remove it, or encode # as %23.");
  const authority = /^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "";
  const rest = target.slice(authority.length);
  return authority === "" || rest.startsWith("/") ? rest : `/${rest}`;
}

/** Initializes the request's id and state, and refuses a head with too many headers. */
export const requestId: Handler = (request, response, next) => {
  const state = response.locals;
  state.requestId = newId("req");
  state.startedAt = performance.now();
  request.url = originForm(request.url);
  request.originalUrl = request.url;
  if (request.rawHeaders.length > 2 * maxHeaders) throw new GatewayError("headers_too_large");
  // RFC 9112, 3.2: a server must refuse an HTTP/1.1 request without a Host header.
  if (request.headers["host"] === undefined && request.httpVersionMinor === 1)
    throw new GatewayError("invalid_request", "The request has no Host header.");
  // With two, each reader behind us could trust a different one.
  if (countHeader(request.rawHeaders, "host") > 1)
    throw new GatewayError("invalid_request", "The request has more than one Host header.");
  next();
};
