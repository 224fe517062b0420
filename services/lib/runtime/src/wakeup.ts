/**
 * The longest sleep, milliseconds: how late a replica picks up work that another one left behind
 * without waking it.
 */
export const maxSleepMs = 10_000;

/**
 * A sleep that others can cut short. One loop sleeps; code that brings work forward wakes it. A
 * wakeup that comes outside of a sleep is kept for the next one, so none is lost between
 * checking for work and falling asleep.
 */
export class Wakeup {
  /** The earliest pending wakeup, Unix milliseconds; infinity when there is none. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #rearm: (() => void) | undefined;

  /** Ends the sleep at `atMs`, Unix milliseconds, if not earlier; at once by default. */
  wakeAt(atMs = 0): void {
    if (atMs >= this.#wakeAtMs) return;
    this.#wakeAtMs = atMs;
    this.#rearm?.();
  }

  /** Sleeps until `untilMs`, Unix milliseconds, the earliest wakeup, or the abort of the signal. */
  async sleepUntil(untilMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const wake = (): void => {
        clearTimeout(timer);
        this.#rearm = undefined;
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const arm = (): void => {
        clearTimeout(timer);
        const sleepMs = signal.aborted ? 0 : Math.min(untilMs, this.#wakeAtMs) - Date.now();
        timer = setTimeout(wake, Math.max(0, sleepMs)).unref();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#rearm = arm;
      arm();
    });
    if (this.#wakeAtMs <= Date.now()) this.#wakeAtMs = Number.POSITIVE_INFINITY;
  }
}

/** One wakeup per provider. */
export class Wakeups {
  readonly #wakeups = new Map<string, Wakeup>();

  of(provider: string): Wakeup {
    const known = this.#wakeups.get(provider) ?? new Wakeup();
    this.#wakeups.set(provider, known);
    return known;
  }
}
