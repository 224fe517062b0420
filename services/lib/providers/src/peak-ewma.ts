/** Time in which an observation loses most of its influence. */
const tauMs = 10_000;

/**
 * An upstream's latency as balancers use it: a peak counts at once and in full, and is forgotten
 * over seconds, so that a slow upstream is soon avoided and later tried again (Finagle's peak EWMA,
 * https://twitter.github.io/finagle/guide/Clients.html#p2c-peak-ewma).
 */
export class PeakEwma {
  #latencyMs = 0;
  #at = 0;
  #open = 0;

  began(): void {
    this.#open++;
  }

  ended(): void {
    this.#open--;
  }

  /** @param nowMs monotonic */
  observe(tookMs: number, nowMs: number): void {
    const before = this.#latencyMs;
    const share = Math.exp((this.#at - nowMs) / tauMs);
    this.#latencyMs = tookMs > before ? tookMs : before * share + tookMs * (1 - share);
    this.#at = nowMs;
  }

  /** The expected time of another call, milliseconds; it falls while no call is made. */
  load(nowMs: number): number {
    return this.#latencyMs * Math.exp((this.#at - nowMs) / tauMs) * (this.#open + 1);
  }
}
