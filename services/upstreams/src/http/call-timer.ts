import type { Timeouts } from "@uag/catalog/types.ts";
import { Deadlines, type Timed } from "@uag/kit/deadlines.ts";

/** One coarse timer for all calls: a timer, or two, for each would cost more than sending it. */
const deadlines = new Deadlines();

/**
 * Watches one call: the wait for a connection, the wait for its head, the waits between its chunks,
 * its whole time. Up to 20 ms late.
 */
export class CallTimer implements Timed {
  dueAt = 0;
  slot = -1;
  readonly #timeouts: Timeouts;
  readonly #expired: (reason: string) => void;
  readonly #endAt: number;
  /** How long nothing may come, and since when that counts: for ever while the call rests. */
  #allowedMs: number;
  #since: number;

  constructor(timeouts: Timeouts, expired: (reason: string) => void) {
    this.#since = performance.now();
    this.#timeouts = timeouts;
    this.#expired = expired;
    this.#endAt = this.#since + timeouts.totalMs;
    this.#allowedMs = timeouts.connectMs;
    deadlines.set(this, Math.min(this.#endAt, this.#since + this.#allowedMs));
  }

  /** The request is on its way. */
  sent(): void {
    this.#allow(this.#timeouts.firstByteMs);
  }

  headCame(): void {
    this.#allow(this.#timeouts.betweenChunksMs);
  }

  chunkCame(): void {
    if (this.#since !== Number.POSITIVE_INFINITY) this.#since = performance.now();
  }

  /** Nothing is asked of the upstream for now. */
  rest(): void {
    this.#since = Number.POSITIVE_INFINITY;
  }

  /** The answer's reader goes on. */
  go(): void {
    this.#since = performance.now();
  }

  stop(): void {
    deadlines.clear(this);
  }

  onDue(now: number): void {
    const silentAt = this.#since + this.#allowedMs;
    if (now >= this.#endAt) this.#expired("the call took too long in all");
    else if (now >= silentAt) this.#expired("no bytes in time");
    else deadlines.set(this, Math.min(this.#endAt, silentAt, now + this.#allowedMs));
  }

  #allow(ms: number): void {
    this.#allowedMs = ms;
    this.go();
    if (this.#since + ms < this.dueAt) deadlines.set(this, this.#since + ms);
  }
}
