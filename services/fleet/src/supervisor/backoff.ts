const firstMs = 100;
const mostMs = 5_000;
const steadyMs = 30_000;

/** Says how long to wait before each restart: 100 ms, doubled each time up to 5 s, from the start again after 30 s up. */
export class Backoff {
  #failures = 0;

  /** Restarts in a row without a steady run between them. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds to wait, after a run that lasted `uptimeMs`. */
  next(uptimeMs: number): number {
    if (uptimeMs >= steadyMs) this.#failures = 0;
    const delayMs = Math.min(firstMs * 2 ** this.#failures, mostMs);
    this.#failures++;
    return delayMs;
  }
}
