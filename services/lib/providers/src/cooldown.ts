/** Consecutive failures after which an upstream cools down. */
const failuresInRow = 5;
const firstCooldownMs = 5_000;
const maxCooldownMs = 60_000;
/** When the previous failure is older than this, the count starts over. */
const windowMs = 60_000;

/**
 * The time for which an upstream is avoided after failures in a row, or because it asks for it.
 * Times are in milliseconds of the monotonic clock.
 */
export class Cooldown {
  #failures = 0;
  #lastFailure = 0;
  #cooldowns = 0;
  #until = 0;

  /** 0: it does not cool down. */
  endsAt(nowMs: number): number {
    return this.#until > nowMs ? this.#until : 0;
  }

  succeeded(): void {
    [this.#failures, this.#cooldowns, this.#until] = [0, 0, 0];
  }

  /** @param retryAfterMs as the upstream requests */
  failed(nowMs: number, retryAfterMs: number | undefined): void {
    const isCooling = this.endsAt(nowMs) > 0;
    if (retryAfterMs !== undefined) this.#extend(nowMs + retryAfterMs);
    // Of calls that were under way together, the first few decide.
    if (isCooling) return;
    if (nowMs - this.#lastFailure > windowMs) this.#failures = 0;
    this.#failures++;
    this.#lastFailure = nowMs;
    if (this.#failures < failuresInRow) return;
    this.#extend(nowMs + Math.min(firstCooldownMs * 2 ** this.#cooldowns, maxCooldownMs));
    this.#cooldowns++;
    this.#failures = 0;
  }

  #extend(until: number): void {
    this.#until = Math.max(this.#until, until);
  }
}
