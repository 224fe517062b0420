import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/** Maximum wait, seconds. */
const maxSeconds = 600;
const usualSeconds = 60;

export interface WaitSources {
  /** The `Prefer` header. */
  readonly prefer: string | undefined;
  /** Path and query. */
  readonly target: string;
  /** The body's `wait`. */
  readonly body: unknown;
}

/**
 * How long a response may wait for the task's end, milliseconds; 0 when it should not. Requested by
 * `Prefer: wait=<seconds>` (RFC 7240; invalid values are ignored, as it requires), else by
 * `?wait=`, else in the body.
 * @throws {GatewayError} `invalid_request` for a query or body that is not a number of seconds
 */
export function waitMs({ prefer, target, body }: WaitSources): number {
  const preferred = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(prefer ?? "")?.[1];
  if (preferred !== undefined) return bounded(Number(preferred));
  const at = target.indexOf("?");
  const query = at < 0 ? null : new URLSearchParams(target.slice(at + 1, at + 2_000)).get("wait");
  if (query !== null) return bounded(query === "true" || query === "" ? usualSeconds : numberIn(query));
  if (body === undefined || body === null || body === false) return 0;
  return bounded(body === true ? usualSeconds : body);
}

function numberIn(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

function bounded(seconds: unknown): number {
  if (typeof seconds === "number" && seconds >= 0) return Math.min(seconds, maxSeconds) * 1_000;
  throw new GatewayError("invalid_request", "wait: must be a number of seconds, or true.", { param: "wait" });
}
