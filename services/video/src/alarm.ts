/**
 * Longest that anybody rests, milliseconds: how late a replica takes up what another one left
 * without a word.
 */
export const longestRestMs = 10_000;

/**
 * A rest that others can cut short. One party rests; whoever brings work forward rings. What rings
 * while nobody rests is remembered for the next rest, so nothing falls between looking and lying
 * down.
 */
export class Alarm {
  /** Unix milliseconds of the earliest ring that nobody has woken to; none: infinity. */
  #rungMs = Number.POSITIVE_INFINITY;
  #rearm: (() => void) | undefined;

  /** Has whoever rests wake up at `atMs`, Unix milliseconds; at once by default. */
  ring(atMs = 0): void {
    if (atMs >= this.#rungMs) return;
    this.#rungMs = atMs;
    this.#rearm?.();
  }

  /** Rests until `untilMs`, Unix milliseconds; less when it rings or the signal aborts. */
  async rest(untilMs: number, signal: AbortSignal): Promise<void> {
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
        const restMs = signal.aborted ? 0 : Math.min(untilMs, this.#rungMs) - Date.now();
        timer = setTimeout(wake, Math.max(0, restMs)).unref();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#rearm = arm;
      arm();
    });
    if (this.#rungMs <= Date.now()) this.#rungMs = Number.POSITIVE_INFINITY;
  }
}

/** An alarm for each provider. */
export class Alarms {
  readonly #alarms = new Map<string, Alarm>();

  of(provider: string): Alarm {
    const known = this.#alarms.get(provider) ?? new Alarm();
    this.#alarms.set(provider, known);
    return known;
  }
}
