interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A process's timers: they fire when the simulator checks them, on time or later. */
export class Timers {
  readonly #now: () => number;
  #timers: Timer[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly delay = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) resolve();
      else this.#timers.push({ dueMs: this.#now() + ms, fire: resolve });
    });

  fireDue(): void {
    const now = this.#now();
    const due = this.#timers.filter(({ dueMs }) => dueMs <= now);
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > now);
    for (const { fire } of due) fire();
  }
}
