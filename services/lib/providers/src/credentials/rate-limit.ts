import type { ReportedLimit } from "./rate-headers.ts";

/**
 * What is left of a provider's rate limit: the last report, less what is being sent. Calls of other
 * processes are in the next report.
 */
export class RateLimit {
  #remaining = Number.POSITIVE_INFINITY;
  #limit = Number.POSITIVE_INFINITY;
  #resetAt = 0;
  /** Amount of the calls that the provider has not responded to. */
  #open = 0;

  /** @param nowMs monotonic */
  report({ remaining, limit, resetMs }: ReportedLimit, nowMs: number): void {
    this.#remaining = remaining;
    this.#limit = limit;
    this.#resetAt = nowMs + resetMs;
  }

  began(amount: number): void {
    this.#open += amount;
  }

  ended(amount: number): void {
    this.#open -= amount;
  }

  /** When an amount is available, in milliseconds of the monotonic clock; 0: now. */
  availableFrom(amount: number, nowMs: number): number {
    if (nowMs >= this.#resetAt) return 0;
    // A request above the whole limit is the provider's to refuse.
    return this.#remaining - this.#open >= Math.min(amount, this.#limit) ? 0 : this.#resetAt;
  }
}
