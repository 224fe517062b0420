import type { Timeouts } from "@uag/catalog/types";
import { Deadlines, type Timed } from "@uag/runtime/deadlines";

/** One coarse timer for all calls: a timer or two per call would cost more than sending it. */
const deadlines = new Deadlines();

/**
 * Enforces one call's timeouts: for the connection, for the head, between chunks, and in total. Up
 * to 20 ms late.
 */
export class CallTimer implements Timed {
  dueAt = 0;
  slot = -1;
  readonly #timeouts: Timeouts;
  readonly #expired: (reason: string) => void;
  readonly #endAt: number;
  /** The maximum silence, and since when it is measured: infinity while paused. */
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

  /** The request was sent. */
  sent(): void {
    this.#allow(this.#timeouts.firstByteMs);
  }

  headCame(): void {
    this.#allow(this.#timeouts.betweenChunksMs);
  }

  chunkCame(): void {
    if (this.#since !== Number.POSITIVE_INFINITY) this.#since = performance.now();
  }

  /** Pauses: nothing is expected from the upstream. */
  pause(): void {
    this.#since = Number.POSITIVE_INFINITY;
  }

  /** Resumes when the reader continues. */
  resume(): void {
    this.#since = performance.now();
  }

  stop(): void {
    deadlines.clear(this);
  }

  onDue(now: number): void {
    const silentAt = this.#since + this.#allowedMs;
    if (now >= this.#endAt) this.#expired("the call exceeded its total timeout");
    else if (now >= silentAt) this.#expired("the upstream sent no bytes within its timeout");
    else deadlines.set(this, Math.min(this.#endAt, silentAt, now + this.#allowedMs));
  }

  #allow(ms: number): void {
    this.#allowedMs = ms;
    this.resume();
    if (this.#since + ms < this.dueAt) deadlines.set(this, this.#since + ms);
  }
}
