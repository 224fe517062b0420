import type { GatewayError } from "./gateway-error.ts";

/**
 * The wait after a 503 that names none: long enough for a replica to be replaced in the router's
 * table.
 */
const unavailableMs = 1_000;

/**
 * The headers that tell a client whether and when to retry, alternating name and value.
 * `retry-after` is whole seconds (RFC 9110); OpenAI's and Anthropic's clients check
 * `retry-after-ms` and `x-should-retry` first.
 */
export function retryHeaders(error: GatewayError): string[] {
  const headers = ["x-should-retry", String(error.retryable)];
  const ms = retryAfterMs(error);
  if (ms !== undefined) headers.push("retry-after", String(Math.ceil(ms / 1_000)), "retry-after-ms", String(ms));
  return headers;
}

/** How long a client should wait, milliseconds; undefined where waiting does not help. */
function retryAfterMs(error: GatewayError): number | undefined {
  return error.retryAfterMs ?? (error.httpStatus === 503 ? unavailableMs : undefined);
}
