import type { Upstream } from "@uag/catalog/types";
import type { Charge } from "../bill.ts";

/**
 * A request that failed although upstreams charge for some of its calls, which were completed or
 * aborted.
 */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  /** What is owed anyway; undefined: nothing. */
  readonly owed: Charge | undefined;
  /** The upstream recorded in the ledger. */
  readonly upstream: Upstream | undefined;
  /** All attempts, including failed calls. */
  readonly attempts: number;

  /** @param cause reported to the client */
  constructor(cause: unknown, parts: { owed: Charge | undefined; upstream: Upstream | undefined; attempts: number }) {
    super("a part of the request failed", { cause });
    this.owed = parts.owed;
    this.upstream = parts.upstream;
    this.attempts = parts.attempts;
  }
}
