const tickMs = 10;
const maxTickMs = 5 * tickMs;

/**
 * Counts milliseconds while this process runs: hardly any pass while it is suspended or starved by
 * other processes. Used to check time limits on machines of any load.
 */
export class Stopwatch implements Disposable {
  #ms = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => this.#tick(), tickMs).unref();

  /** Since its creation. */
  get ms(): number {
    this.#tick();
    return this.#ms;
  }

  #tick(): void {
    const now = performance.now();
    this.#ms += Math.min(now - this.#last, maxTickMs);
    this.#last = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Milliseconds of processor time that `work` takes on this thread. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
