const tickMs = 20;
const slots = 512;

/** Something with at most one due time. The two fields belong to the wheel. */
export interface Timed {
  dueAt: number;
  slot: number;
  onDue(now: number): void;
}

/**
 * One coarse timer for many due times (a hashed wheel): setting and clearing cost a set operation
 * instead of a timer each. Due times fire up to 20 ms late, never early. The timer never keeps the
 * process alive.
 */
export class Deadlines {
  readonly #slots: (Set<Timed> | undefined)[] = new Array<Set<Timed> | undefined>(slots).fill(undefined);
  #count = 0;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #run = (): void => this.advance(performance.now());

  /**
   * Sets the due time, replacing an earlier one. `at` is on the clock of performance.now(), in
   * milliseconds.
   */
  set(timed: Timed, at: number): void {
    this.clear(timed);
    const now = performance.now();
    if (this.#count === 0) this.#tick = Math.floor(now / tickMs);
    timed.dueAt = at;
    timed.slot = Math.max(Math.ceil(at / tickMs), this.#tick + 1) % slots;
    const slot = this.#slots[timed.slot];
    if (slot === undefined) this.#slots[timed.slot] = new Set([timed]);
    else slot.add(timed);
    this.#count++;
    if (this.#timer === undefined) this.#timer = setInterval(this.#run, tickMs).unref();
  }

  clear(timed: Timed): void {
    if (timed.slot < 0) return;
    this.#slots[timed.slot]?.delete(timed);
    timed.slot = -1;
    this.#count--;
  }

  advance(now: number): void {
    const last = Math.floor(now / tickMs);
    const steps = Math.min(last - this.#tick, slots);
    for (let tick = last - steps + 1; tick <= last; tick++) this.#sweep(this.#slots[tick % slots], now);
    this.#tick = last;
    // Stopped here rather than in `clear`, so that light traffic does not start and stop a timer
    // for each exchange.
    if (this.#count === 0) this.#stop();
  }

  #sweep(slot: Set<Timed> | undefined, now: number): void {
    if (slot === undefined) return;
    for (const timed of slot) {
      // A due time more than one turn of the wheel ahead stays for a later turn.
      if (timed.dueAt > now) continue;
      this.clear(timed);
      timed.onDue(now);
    }
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
