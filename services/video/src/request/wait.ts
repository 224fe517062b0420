import { videoBodyWait, videoCreateQuery } from "@uag/contract/requests/videos";
import { readQuery } from "@uag/pipeline/request/query";
import { checked } from "@uag/untrusted/schema-fault";

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
  const secondsOf = (wait: unknown): number => checked(videoBodyWait, { wait }).wait ?? 0;
  if (preferred !== undefined) return secondsOf(Number(preferred)) * 1_000;
  return (readQuery(videoCreateQuery, target).wait ?? secondsOf(body)) * 1_000;
}
