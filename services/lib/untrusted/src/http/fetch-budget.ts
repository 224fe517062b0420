import { GatewayError } from "@uag/contract/errors/gateway-error";

const hourMs = 3_600_000;
/** Full budgets are dropped when there are this many, and then at twice as many as remain. */
const firstSweep = 1_000;

/** How much of its budget an owner has used. */
export interface FetchUse {
  readonly owner: string;
  /** Fetches, rounded up. */
  readonly used: number;
}

/** Options of a {@link FetchBudget}. */
export interface FetchBudgetOptions {
  /** Fetches per owner and hour. */
  readonly perHour: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

interface Bucket {
  readonly used: number;
  readonly at: number;
}

/**
 * How many URLs each owner may have this process fetch per hour: a bucket that refills evenly, so
 * that a client cannot use the gateway to flood a third party.
 */
export class FetchBudget {
  readonly perHour: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = firstSweep;
  #refused = 0;

  constructor({ perHour, now = () => performance.now() }: FetchBudgetOptions) {
    this.perHour = perHour;
    this.#now = now;
  }

  /** Refused fetches since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Counts a fetch. @throws {GatewayError} `rate_limit_exceeded`, with the time to wait */
  take(owner: string): void {
    const at = this.#now();
    const used = this.#usedBy(owner, at) + 1;
    if (used > this.perHour) {
      this.#refused++;
      const text = `The budget of ${this.perHour} fetched URLs per hour is used up. Wait for \`retry-after\`, then try again.`;
      throw new GatewayError("rate_limit_exceeded", text, {
        retryAfterMs: Math.ceil((used - this.perHour) / this.#perMs),
      });
    }
    this.#buckets.set(owner, { used, at });
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(at);
  }

  /** The owners that have used most, at most `limit` of them. */
  mostUsed(limit: number): FetchUse[] {
    const at = this.#now();
    this.#sweep(at);
    return [...this.#buckets.keys()]
      .map((owner) => ({ owner, used: Math.ceil(this.#usedBy(owner, at)) }))
      .sort((a, b) => b.used - a.used)
      .slice(0, limit);
  }

  get #perMs(): number {
    return this.perHour / hourMs;
  }

  #usedBy(owner: string, at: number): number {
    const bucket = this.#buckets.get(owner);
    return bucket === undefined ? 0 : Math.max(0, bucket.used - (at - bucket.at) * this.#perMs);
  }

  #sweep(at: number): void {
    for (const owner of this.#buckets.keys()) if (this.#usedBy(owner, at) === 0) this.#buckets.delete(owner);
    this.#sweepAt = Math.max(firstSweep, 2 * this.#buckets.size);
  }
}
