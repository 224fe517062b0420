import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorTable } from "@uag/contract/errors/table";
import type { Method } from "@uag/contract/routes";
import type { Request } from "express";
import type { Handler } from "../request-state.ts";

/** `GET, HEAD, OPTIONS` for a read-only path. */
export function allowHeader(methods: readonly Method[]): string {
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/**
 * Refuses a method that the path does not have. A WebSocket handshake gets 426, after which clients
 * such as Codex send the same request over HTTP.
 * https://www.rfc-editor.org/rfc/rfc9110#section-15.5.22
 */
export function methodNotAllowed(methods: readonly Method[]): Handler {
  const allowed = allowHeader(methods);
  return (request, response) => {
    response.locals.allow = allowed;
    if (isWebSocketHandshake(request)) throw new GatewayError("websocket_unsupported");
    throw new GatewayError("method_not_allowed", `${errorTable.method_not_allowed.text} Use ${methods.join(" or ")}.`);
  };
}

const isWebSocketHandshake = ({ method, headers }: Request): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
