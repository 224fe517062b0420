import assert from "node:assert/strict";

/** The true course of one request, as known to the simulator. */
export interface RequestTruth {
  readonly hold: bigint;
  /** Every cost that its bill may have if its process dies now, according to its checkpoints. */
  readonly possible: Set<bigint>;
  /** The cost reported to the client, which its bill must match. */
  reportedCost: bigint | undefined;
  /** The first byte was sent, so its `started` is on disk and it must be in the ledger. */
  begun: boolean;
}

const minuteMs = 60_000;

/**
 * The true course of all requests, compared with the books; also checks that no limit is exceeded.
 */
export class Truth {
  readonly requests = new Map<string, RequestTruth>();
  #admissions: number[] = [];
  /** The limits that were in force, each with its start. */
  readonly #limits: { readonly fromMs: number; readonly limit: number }[] = [];

  limitIs(limit: number, nowMs: number): void {
    this.#limits.push({ fromMs: nowMs, limit });
  }

  /** A request of the limited key was admitted. */
  admitted(nowMs: number): void {
    this.#admissions = this.#admissions.filter((atMs) => atMs > nowMs - minuteMs);
    this.#admissions.push(nowMs);
    const since = this.#limits.findLastIndex(({ fromMs }) => fromMs <= nowMs - minuteMs);
    const max = Math.max(...this.#limits.slice(Math.max(0, since)).map(({ limit }) => limit));
    assert.ok(
      this.#admissions.length <= max,
      `${this.#admissions.length} requests were admitted in a minute, above the limit of ${max}`,
    );
  }

  /** Checks a request's bill, or that it has none. */
  check(requestId: string, billed: bigint | undefined): void {
    const truth = this.requests.get(requestId);
    assert.ok(truth !== undefined, `${requestId} is billed but was not admitted`);
    if (truth.reportedCost !== undefined) {
      assert.equal(billed, truth.reportedCost, `${requestId} is billed differently from the cost in its response`);
      return;
    }
    if (billed === undefined) assert.ok(!truth.begun, `${requestId} is not billed although its response had begun`);
    else assert.ok(truth.possible.has(billed), `${requestId} is billed ${billed}, which is none of its possible costs`);
  }
}
