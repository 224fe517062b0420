import type { ConcurrencyBounds } from "@uag/catalog/types";

/** What a sign of overload leaves of the limit. */
const decrease = 0.9;

/**
 * How many calls an upstream is sent at once: additive increase, multiplicative decrease, as TCP
 * adapts its window (Chiu and Jain, 1989; Netflix's `AIMDLimit`,
 * https://github.com/Netflix/concurrency-limits). A success raises the limit by one while at least
 * half of it is in use; a rate limit or a timeout lowers it to nine tenths.
 */
export class ConcurrencyLimit {
  #limit = Number.POSITIVE_INFINITY;
  #open = 0;

  /** Undefined before the first call with bounds. */
  get limit(): number | undefined {
    return Number.isFinite(this.#limit) ? Math.floor(this.#limit) : undefined;
  }

  /** The bounds are as in the current catalogue. */
  within({ min, max }: ConcurrencyBounds): void {
    this.#limit = Math.min(max, Math.max(min, this.#limit));
  }

  get isReached(): boolean {
    return this.#open >= Math.floor(this.#limit);
  }

  began(): void {
    this.#open++;
  }

  ended(): void {
    this.#open--;
  }

  succeeded({ max }: ConcurrencyBounds): void {
    if (this.#open * 2 >= this.#limit) this.#limit = Math.min(max, this.#limit + 1);
  }

  overloaded({ min }: ConcurrencyBounds): void {
    this.#limit = Math.max(min, this.#limit * decrease);
  }
}
