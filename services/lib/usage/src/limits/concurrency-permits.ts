import type { Permits } from "./window-permits.ts";

/**
 * One replica's share of a concurrency limit. Each request in flight uses one permit; a released
 * one can be reused at once.
 */
export class ConcurrencyPermits {
  #held = 0;
  #inFlight = 0;
  /** Permits in use that go back to billing when their request ends. */
  #leaving = 0;

  get held(): number {
    return this.#held;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  freeAt(): number {
    return this.#held - this.#inFlight;
  }

  use(): boolean {
    if (this.#inFlight >= this.#held) return false;
    this.#inFlight++;
    return true;
  }

  /** Ends a request. True when its permit must be returned to billing. */
  release(): boolean {
    this.#inFlight--;
    if (this.#leaving === 0) return false;
    this.#leaving--;
    this.#held--;
    return true;
  }

  /** The permits are lost. Requests in flight continue, and count before any new request does. */
  lapse(): void {
    this.#held = 0;
    this.#leaving = 0;
  }

  add(permits: Permits): void {
    this.#held += permits.count;
  }

  /** Removes up to `count` free permits so they can be returned. */
  remove(count: number): Permits[] {
    const taken = Math.min(count, Math.max(0, this.freeAt()));
    this.#held -= taken;
    return taken > 0 ? [{ count: taken, freeInMs: 0 }] : [];
  }

  /** Removes all free permits; those in use follow when their requests end. */
  removeAll(): Permits[] {
    const out = this.remove(this.#held);
    this.#leaving = this.#held;
    return out;
  }
}
