import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Method } from "@uag/contract/routes.ts";
import type { Handler } from "../request-state.ts";

/** `GET, HEAD, OPTIONS` for a read-only path. */
export function allowHeader(methods: readonly Method[]): string {
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** Refuses a method that the path does not have. */
export function methodNotAllowed(methods: readonly Method[]): Handler {
  const allowed = allowHeader(methods);
  return (_request, response) => {
    response.locals.allow = allowed;
    throw new GatewayError("method_not_allowed");
  };
}
