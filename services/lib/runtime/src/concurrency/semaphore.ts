/** A semaphore: lets a number of tasks run at a time; the others wait in arrival order. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** True when nothing runs and nothing waits, given the limit. */
  isIdle(atOnce: number): boolean {
    return this.#free === atOnce;
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
