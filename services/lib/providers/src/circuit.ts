/** Calls are counted over the last 30 seconds, in parts of 3 seconds. */
const partMs = 3_000;
const parts = 10;
/** Fewer calls prove nothing. */
const leastCalls = 20;
const openingShare = 0.5;
const firstOpenMs = 10_000;
const longestOpenMs = 60_000;
/** Calls at once that find out whether it works again, and how many of them must succeed. */
const probes = 3;

export type CircuitState = "closed" | "open" | "half_open";

/** Of a call whose result does not count, as the circuit was open. */
const uncounted = -1;

/**
 * The circuit breaker of one upstream. It opens when at least half of the calls of 30 seconds
 * failed, of at least 20. After 10 seconds, and twice as long each time up to a minute, it is half
 * open: three calls at once are probes. It closes when three succeed, and opens again when one fails.
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

  stateAt(nowMs: number): CircuitState {
    if (this.#openUntil === 0) return "closed";
    return nowMs < this.#openUntil ? "open" : "half_open";
  }

  /** When a call may be made; 0: now. While all probes are under way, that is not known. */
  availableFrom(nowMs: number): number {
    if (this.#openUntil === 0) return 0;
    if (nowMs < this.#openUntil) return this.#openUntil;
    return this.#probing < probes ? 0 : nowMs + 1;
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
    else if (++this.#proved >= probes) this.#close();
  }

  /** @param call as returned by `began` */
  failed(call: number, nowMs: number): void {
    if (call !== this.#era) return;
    if (this.#openUntil === 0) {
      this.#count(this.#calls, nowMs);
      this.#count(this.#failures, nowMs);
      const calls = sumOf(this.#calls);
      if (calls < leastCalls || sumOf(this.#failures) < calls * openingShare) return;
    }
    this.#open(nowMs);
  }

  /** The call has a result, or never will. @param call as returned by `began` */
  ended(call: number): void {
    if (call === this.#era && this.#openUntil !== 0) this.#probing--;
  }

  #count(counts: Uint32Array, nowMs: number): void {
    const now = Math.floor(nowMs / partMs);
    for (this.#part = Math.max(this.#part, now - parts); this.#part < now; ) {
      const next = ++this.#part % parts;
      this.#calls[next] = 0;
      this.#failures[next] = 0;
    }
    const place = now % parts;
    counts[place] = (counts[place] ?? 0) + 1;
  }

  #open(nowMs: number): void {
    this.#openUntil = nowMs + Math.min(firstOpenMs * 2 ** this.#openings, longestOpenMs);
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
    this.#calls.fill(0);
    this.#failures.fill(0);
  }
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
