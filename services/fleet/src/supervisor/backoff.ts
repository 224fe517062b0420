import { backoffMs } from "@uag/kit/backoff.ts";

const limits = { firstMs: 100, maxMs: 5_000 };
const steadyMs = 30_000;

/**
 * Says how long to wait before each restart: 100 ms, doubled each time up to 5 s, from the start
 * again after 30 s up.
 */
export class RestartBackoff {
  #failures = 0;

  /** Restarts in a row without a steady run between them. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds to wait, after a run that lasted `uptimeMs`. */
  next(uptimeMs: number): number {
    if (uptimeMs >= steadyMs) this.#failures = 0;
    return backoffMs(this.#failures++, limits);
  }
}
