import type { Slots } from "./window-slots.ts";

/** One replica's slots of a limit of concurrency. A request in flight has one; none rests. */
export class ConcurrencySlots {
  #held = 0;
  #inFlight = 0;
  /** Slots in use that do not stay here when their request ends. */
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

  /** A request ended. True when its slot goes back to billing. */
  release(): boolean {
    this.#inFlight--;
    if (this.#leaving === 0) return false;
    this.#leaving--;
    this.#held--;
    return true;
  }

  /** The slots are lost. What is in flight goes on, and counts before any new request does. */
  lapse(): void {
    this.#held = 0;
    this.#leaving = 0;
  }

  add(slots: Slots): void {
    this.#held += slots.count;
  }

  /** Takes out up to `count` free slots to give back. */
  remove(count: number): Slots[] {
    const taken = Math.min(count, Math.max(0, this.freeAt()));
    this.#held -= taken;
    return taken > 0 ? [{ count: taken, freeInMs: 0 }] : [];
  }

  /** Takes out all free slots, and lets those in use leave when their requests end. */
  removeAll(): Slots[] {
    const out = this.remove(this.#held);
    this.#leaving = this.#held;
    return out;
  }
}
