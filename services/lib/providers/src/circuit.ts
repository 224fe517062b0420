import type { CircuitSettings } from "@uag/catalog/types";

/** The window is counted in so many parts. */
const parts = 10;

/** Of a provider that sets none. */
export const usualCircuit: CircuitSettings = {
  failureShare: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openMs: 10_000,
  maxOpenMs: 60_000,
  probes: 3,
};

export type CircuitState = "closed" | "open" | "half_open";

/** Of a call whose result does not count, as the circuit was open. */
const uncounted = -1;

/**
 * The circuit breaker of one upstream. It opens when at least half of the calls of 30 seconds
 * failed, of at least 20. After 10 seconds, and twice as long each time up to a minute, it is half
 * open: three calls at once are probes. It closes when three succeed, and opens again when one fails.
 * These figures are its provider's settings.
 * Times are in milliseconds of the monotonic clock.
 */
export class Circuit {
  readonly #calls = new Uint32Array(parts);
  readonly #failures = new Uint32Array(parts);
  #part = 0;
  /** 0: closed. */
  #openUntil = 0;
  /** How often it opened without having closed. */
  #openings = 0;
  /** Changes when the circuit opens or closes: results of earlier calls do not count. */
  #era = 0;
  #probing = 0;
  #proved = 0;
  #settings = usualCircuit;

  /** What applies from now on, as the catalogue may have changed. */
  set settings(settings: CircuitSettings) {
    if (settings.windowMs !== this.#settings.windowMs) this.#forget();
    this.#settings = settings;
  }

  stateAt(nowMs: number): CircuitState {
    if (this.#openUntil === 0) return "closed";
    return nowMs < this.#openUntil ? "open" : "half_open";
  }

  /** When a call may be made; 0: now. While all probes are under way, that is not known. */
  availableFrom(nowMs: number): number {
    if (this.#openUntil === 0) return 0;
    if (nowMs < this.#openUntil) return this.#openUntil;
    return this.#probing < this.#settings.probes ? 0 : nowMs + 1;
  }

  /** A call is sent. @returns what its result is reported with */
  began(nowMs: number): number {
    if (this.#openUntil === 0) return this.#era;
    if (this.availableFrom(nowMs) !== 0) return uncounted;
    this.#probing++;
    return this.#era;
  }

  /** @param call as returned by `began` */
  succeeded(call: number, nowMs: number): void {
    if (call !== this.#era) return;
    if (this.#openUntil === 0) this.#count(this.#calls, nowMs);
    else if (++this.#proved >= this.#settings.probes) this.#close();
  }

  /** @param call as returned by `began` */
  failed(call: number, nowMs: number): void {
    if (call !== this.#era) return;
    if (this.#openUntil === 0) {
      this.#count(this.#calls, nowMs);
      this.#count(this.#failures, nowMs);
      const calls = sumOf(this.#calls);
      const { minCalls, failureShare } = this.#settings;
      if (calls < minCalls || sumOf(this.#failures) < calls * failureShare) return;
    }
    this.#open(nowMs);
  }

  /** The call has a result, or never will. @param call as returned by `began` */
  ended(call: number): void {
    if (call === this.#era && this.#openUntil !== 0) this.#probing--;
  }

  #count(counts: Uint32Array, nowMs: number): void {
    const now = Math.floor((nowMs * parts) / this.#settings.windowMs);
    for (this.#part = Math.max(this.#part, now - parts); this.#part < now; ) {
      const next = ++this.#part % parts;
      this.#calls[next] = 0;
      this.#failures[next] = 0;
    }
    const place = now % parts;
    counts[place] = (counts[place] ?? 0) + 1;
  }

  #open(nowMs: number): void {
    const { openMs, maxOpenMs } = this.#settings;
    this.#openUntil = nowMs + Math.min(openMs * 2 ** this.#openings, maxOpenMs);
    this.#openings++;
    this.#changed();
  }

  #close(): void {
    this.#openUntil = 0;
    this.#openings = 0;
    this.#changed();
  }

  #changed(): void {
    this.#era++;
    this.#probing = 0;
    this.#proved = 0;
    this.#forget();
  }

  #forget(): void {
    this.#part = 0;
    this.#calls.fill(0);
    this.#failures.fill(0);
  }
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
