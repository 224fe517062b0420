const tickMs = 10;
const maxTickMs = 5 * tickMs;

/**
 * Counts milliseconds as this process lives them: while it does not get to run, because the machine
 * stands still or is busy with others, hardly any pass. What a promise of so many seconds is held
 * to, on whatever machine.
 */
export class Stopwatch implements Disposable {
  #ms = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => this.#tick(), tickMs).unref();

  /** Since it was made. */
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

/** Milliseconds of processor time that `work` costs this thread. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
