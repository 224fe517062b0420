/** A call that is read on for its usage alone. */
export interface Drained {
  /** Ends it: it has taken too long, or too much. */
  giveUp(): void;
}

export interface DrainLimits {
  /** Calls at once, of this process. */
  readonly atOnce: number;
  /** Milliseconds that one may take. */
  readonly maxMs: number;
  /** Bytes that one may bring. */
  readonly maxBytes: number;
}

const defaults: DrainLimits = { atOnce: 200, maxMs: 120_000, maxBytes: 8 * 1024 * 1024 };

/**
 * Calls whose clients have left and whose upstreams would bill on: they are read to the upstream's
 * own count, so that the bill is exact. Bounded in number, time and bytes; beyond that the bill is
 * an estimate. Disposing gives all of them up.
 */
export class Drains implements Disposable {
  readonly limits: DrainLimits;
  readonly #open = new Map<Drained, NodeJS.Timeout>();
  #closed = false;

  constructor(limits: Partial<DrainLimits> = {}) {
    this.limits = { ...defaults, ...limits };
  }

  /** Calls under way. */
  get size(): number {
    return this.#open.size;
  }

  /** False when there is no room for one more: it must be given up at once. */
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
