import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Logger } from "./log.ts";

const firstServerStatus = 500;

/**
 * Logs an error response with a status of 500 or more: one line, written by the process that made
 * the response. Faults of ours have the level `error`, failures of others `warn`.
 * @param details further fields, such as a `cause` that is safe to log instead of the error's own
 */
export function logServerError(
  log: Logger,
  error: GatewayError,
  { requestId, ...details }: { readonly requestId: string | undefined } & Readonly<Record<string, unknown>>,
): void {
  const { code, httpStatus: status } = error;
  if (status < firstServerStatus) return;
  const cause = Object.keys(details).length > 0 ? details : { err: error.cause ?? error };
  const level = code === "internal_error" || code === "unpriced_model" ? "error" : "warn";
  log[level]({ request_id: requestId, code, status, ...cause }, "request failed");
}
