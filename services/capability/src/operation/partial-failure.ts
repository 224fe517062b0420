import type { Upstream } from "@uag/catalog/types.ts";
import type { Charge } from "../bill.ts";

/**
 * A request that failed after some of its upstream calls were answered, or given up, and are
 * charged for by the upstream.
 */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  /** What is owed all the same; undefined: nothing. */
  readonly owed: Charge | undefined;
  /** The upstream that the ledger names. */
  readonly upstream: Upstream | undefined;
  /** All tries, those of failed calls included. */
  readonly attempts: number;

  /** @param cause what the client is told about */
  constructor(cause: unknown, parts: { owed: Charge | undefined; upstream: Upstream | undefined; attempts: number }) {
    super("a part of the request failed", { cause });
    this.owed = parts.owed;
    this.upstream = parts.upstream;
    this.attempts = parts.attempts;
  }
}
