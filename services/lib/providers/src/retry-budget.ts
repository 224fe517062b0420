const max = 100;
const perCall = 0.2;

/** Limits the share of retries in the load, so that they do not overwhelm a failing upstream. */
export class RetryBudget {
  #tokens = max;

  /** Call once per call: every fifth pays for a retry. */
  deposit(): void {
    this.#tokens = Math.min(max, this.#tokens + perCall);
  }

  /** True when a retry is allowed; deducts its cost. */
  withdraw(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
