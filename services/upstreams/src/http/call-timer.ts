import type { Timeouts } from "@uag/catalog/types.ts";
import { Deadlines, type Timed } from "@uag/kit/link/deadlines.ts";

/** One coarse timer for all calls and connections: a timer, or two, for each would cost more than sending it. */
export const deadlines = new Deadlines();

/** Watches one call: its whole time, the wait for its head, the waits between its chunks. Up to 20 ms late. */
export class CallTimer implements Timed {
  dueAt = 0;
  slot = -1;
  readonly #timeouts: Timeouts;
  readonly #expired: (reason: string) => void;
  readonly #endAt: number;
  /** How long nothing may come, and since when that counts: for ever while the call is not sent, or rests. */
  #allowedMs: number;
  #since = Number.POSITIVE_INFINITY;

  constructor(timeouts: Timeouts, expired: (reason: string) => void) {
    const now = performance.now();
    this.#timeouts = timeouts;
    this.#expired = expired;
    this.#endAt = now + timeouts.totalMs;
    this.#allowedMs = timeouts.firstByteMs;
    deadlines.set(this, Math.min(this.#endAt, now + this.#allowedMs));
  }

  /** The request is on its way, or the answer's reader goes on. */
  go(): void {
    this.#since = performance.now();
  }

  headCame(): void {
    this.#allowedMs = this.#timeouts.betweenChunksMs;
    this.go();
    if (this.#since + this.#allowedMs < this.dueAt) deadlines.set(this, this.#since + this.#allowedMs);
  }

  chunkCame(): void {
    if (this.#since !== Number.POSITIVE_INFINITY) this.#since = performance.now();
  }

  rest(): void {
    this.#since = Number.POSITIVE_INFINITY;
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
}
