/**
 * A semaphore: lets a number of tasks run at a time; the others wait in arrival order, in a queue
 * that may be bounded.
 */
export class Semaphore {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#free = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** True when nothing runs and nothing waits, given the limit. */
  isIdle(atOnce: number): boolean {
    return this.#free === atOnce;
  }

  /**
   * Calls `start`, which must not throw, at once or when its turn comes; {@link leave} must follow
   * in either case.
   * @returns false when the queue is full; then `start` is never called
   */
  enter(start: () => void): boolean {
    if (this.tryAcquire()) start();
    else if (this.#waiting.size < this.#maxWaiting) this.#waiting.add(start);
    else return false;
    return true;
  }

  /** Ends the turn of a `start` that entered, or removes it from the queue. */
  leave(start: () => void): void {
    if (!this.#waiting.delete(start)) this.release();
  }

  /** Starts at once if fewer than the limit run; returns whether it did. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** @throws the signal's reason, when it aborts first */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryAcquire()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener("abort", leave);
    await promise.finally(() => signal.removeEventListener("abort", leave));
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
