import type { Permits } from "./window-permits.ts";

/** One replica's permits of a limit of concurrency. A request in flight has one; none rests. */
export class ConcurrencyPermits {
  #held = 0;
  #inFlight = 0;
  /** Permits in use that do not stay here when their request ends. */
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

  /** A request ended. True when its permit goes back to billing. */
  release(): boolean {
    this.#inFlight--;
    if (this.#leaving === 0) return false;
    this.#leaving--;
    this.#held--;
    return true;
  }

  /** The permits are lost. What is in flight goes on, and counts before any new request does. */
  lapse(): void {
    this.#held = 0;
    this.#leaving = 0;
  }

  add(permits: Permits): void {
    this.#held += permits.count;
  }

  /** Takes out up to `count` free permits to give back. */
  remove(count: number): Permits[] {
    const taken = Math.min(count, Math.max(0, this.freeAt()));
    this.#held -= taken;
    return taken > 0 ? [{ count: taken, freeInMs: 0 }] : [];
  }

  /** Takes out all free permits, and lets those in use leave when their requests end. */
  removeAll(): Permits[] {
    const out = this.remove(this.#held);
    this.#leaving = this.#held;
    return out;
  }
}
