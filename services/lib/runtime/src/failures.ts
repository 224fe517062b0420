import { LRUCache } from "lru-cache";
import type { Clock } from "./clock.ts";

/** Each source's leaky bucket: its size, its drain rate, and how many buckets are kept. */
export interface FailuresOptions {
  readonly clock: Clock;
  /** Failures tolerated at once. */
  readonly free: number;
  /** How many failures are forgotten per second. */
  readonly perSecond: number;
  /** Most sources remembered. */
  readonly max: number;
}

interface Bucket {
  level: number;
  /** Monotonic milliseconds. */
  at: number;
}

/** The longest delay reported to a source, milliseconds. */
const maxWaitMs = 30_000;

/**
 * Counts failures by source, in leaky buckets. Memory is bounded; the source that was quiet for
 * longest is forgotten first.
 */
export class Failures {
  readonly #options: FailuresOptions;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(options: FailuresOptions) {
    this.#options = options;
    this.#buckets = new LRUCache({ max: options.max });
  }

  /**
   * How long a source with too many failures should wait, milliseconds; 0 for one that may fail
   * once more.
   */
  waitMs(source: string): number {
    const over = this.#levelOf(this.#buckets.get(source)) - this.#options.free;
    return over < 0 ? 0 : Math.ceil(((over + 1) / this.#options.perSecond) * 1_000);
  }

  add(source: string): void {
    const { clock, free, perSecond } = this.#options;
    const max = free + (maxWaitMs / 1_000) * perSecond - 1;
    const level = Math.min(max, this.#levelOf(this.#buckets.get(source)) + 1);
    this.#buckets.set(source, { level, at: clock.monotonic() });
  }

  #levelOf(bucket: Bucket | undefined): number {
    if (bucket === undefined) return 0;
    const { clock, perSecond } = this.#options;
    return Math.max(0, bucket.level - ((clock.monotonic() - bucket.at) / 1_000) * perSecond);
  }
}
