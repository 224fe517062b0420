const max = 100;
const perCall = 0.2;

/**
 * Bounds how much of the load are second tries, so that a failing upstream is not buried under
 * them.
 */
export class RetryBudget {
  #tokens = max;

  /** A call was made: every fifth pays for a retry. */
  deposit(): void {
    this.#tokens = Math.min(max, this.#tokens + perCall);
  }

  /** True when a retry may be made; takes its price. */
  withdraw(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
