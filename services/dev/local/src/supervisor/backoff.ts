import { backoffMs } from "@uag/runtime/backoff";

const limits = { firstMs: 100, maxMs: 5_000 };
const steadyMs = 30_000;

/**
 * The delay before each restart: 100 ms, doubled each time up to 5 s, reset after 30 s of uptime.
 */
export class RestartBackoff {
  #failures = 0;

  /** Consecutive restarts without a stable run in between. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds to wait after a run that lasted `uptimeMs`. */
  next(uptimeMs: number): number {
    if (uptimeMs >= steadyMs) this.#failures = 0;
    return backoffMs(this.#failures++, limits);
  }
}
