import { type ReportedLimit, resetMsOf, wholeOf } from "./rate-headers.ts";

/**
 * What is left of a provider's rate limit: the last report, less what is being sent. Calls of other
 * processes are in the next report.
 */
export class RateLimit {
  #remaining = Number.POSITIVE_INFINITY;
  #reported: ReportedLimit | undefined;
  /** Of the report: of the monotonic clock, and Unix milliseconds. */
  #at = 0;
  #wallAt = 0;
  /** When all of it is available again, once that was needed. */
  #resetAt: number | undefined;
  /** Amount of the calls that the provider has not responded to. */
  #open = 0;

  /** @param nowMs monotonic @param wallMs Unix milliseconds */
  report(reported: ReportedLimit, nowMs: number, wallMs: number): void {
    this.#remaining = reported.remaining;
    this.#reported = reported;
    this.#at = nowMs;
    this.#wallAt = wallMs;
    this.#resetAt = undefined;
  }

  began(amount: number): void {
    this.#open += amount;
  }

  ended(amount: number): void {
    this.#open -= amount;
  }

  /** When an amount is available, in milliseconds of the monotonic clock; 0: now. */
  availableFrom(amount: number, nowMs: number): number {
    const left = this.#remaining - this.#open;
    const reported = this.#reported;
    if (left >= amount || reported === undefined) return 0;
    this.#resetAt ??= this.#at + resetMsOf(reported, this.#wallAt);
    if (nowMs >= this.#resetAt) return 0;
    // A request above the whole limit is the provider's to refuse.
    return left >= Math.min(amount, wholeOf(reported)) ? 0 : this.#resetAt;
  }
}
