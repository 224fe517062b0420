/** A call that continues only for its usage. */
export interface Drained {
  /** Aborts it: it has exceeded the limit in time or bytes. */
  giveUp(): void;
}

export interface DrainLimits {
  /** Concurrent calls in this process. */
  readonly atOnce: number;
  /** Maximum duration of one call, milliseconds. */
  readonly maxMs: number;
  /** Maximum bytes of one call. */
  readonly maxBytes: number;
}

const defaults: DrainLimits = { atOnce: 200, maxMs: 120_000, maxBytes: 8 * 1024 * 1024 };

/**
 * Calls whose clients have disconnected but whose upstreams keep billing: they are read up to the
 * upstream's usage, so that the bill is exact. Bounded in number, time and bytes; beyond that the
 * bill is an estimate. Disposing aborts all of them.
 */
export class Drains implements Disposable {
  readonly limits: DrainLimits;
  readonly #open = new Map<Drained, NodeJS.Timeout>();
  #closed = false;

  constructor(limits: Partial<DrainLimits> = {}) {
    this.limits = { ...defaults, ...limits };
  }

  /** Number of calls in progress. */
  get size(): number {
    return this.#open.size;
  }

  /** False when the limit is reached: the call must be aborted at once. */
  begin(call: Drained): boolean {
    if (this.#closed || this.#open.size >= this.limits.atOnce) return false;
    this.#open.set(call, setTimeout(() => call.giveUp(), this.limits.maxMs).unref());
    return true;
  }

  end(call: Drained): void {
    clearTimeout(this.#open.get(call));
    this.#open.delete(call);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const call of [...this.#open.keys()]) call.giveUp();
  }
}
