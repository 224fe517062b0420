/**
 * Why an exchange (or a link) ended without a complete response.
 * - `unsent`: the service refused it, or the link broke before it was sent; no handler saw it
 * - `unavailable`: no replica became ready in time; never sent
 * - `broken`: the link broke; the service may have seen it
 * - `deadline`: the exchange's deadline passed
 * - `cancelled`: the calling end cancelled it
 * - `aborted`: the serving end aborted it (`reason` says why)
 * - `failed`: the handler ended it with an error; `reason` is the handler's error code
 * - `protocol`: the peer violated the protocol
 * - `too_large`: a body, head or open exceeds its limit
 * - `closed`: this end was shut down
 */
export type LinkErrorCode =
  | "unsent"
  | "unavailable"
  | "broken"
  | "deadline"
  | "cancelled"
  | "aborted"
  | "failed"
  | "protocol"
  | "too_large"
  | "closed";

/** What is known about an exchange that failed. */
export interface LinkErrorOptions {
  seen?: boolean;
  cause?: unknown;
}

/** Why an exchange ended before its response was complete. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly code: LinkErrorCode;
  /** The bare reason, without the code. */
  readonly reason: string;
  /** False only when it is certain that no handler has seen the exchange. */
  readonly seen: boolean;

  constructor(code: LinkErrorCode, reason: string, options: LinkErrorOptions = {}) {
    super(`link ${code}: ${reason}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.seen = options.seen ?? (code !== "unsent" && code !== "unavailable");
  }
}
