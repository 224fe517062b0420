import type { Upstream } from "@uag/catalog/types";
import { binCount, binOf } from "@uag/runtime/histogram";
import { Circuit, usualCircuit } from "./circuit.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { Cooldown } from "./cooldown.ts";
import { PeakEwma } from "./peak-ewma.ts";

const minutes = 60;
const minuteMs = 60_000;

/** Calls to an upstream in one minute. */
interface Minute {
  /** Minutes since the clock's start. */
  number: number;
  calls: number;
  failures: number;
  readonly latency: Uint32Array;
}

/** Calls to an upstream in the last hour. */
export interface UpstreamFigures {
  readonly calls: number;
  readonly failures: number;
  /** Successful calls, by duration bin. */
  readonly latency: number[];
}

/**
 * What is known of one upstream: whether to avoid it, its latency, and its calls over the last hour,
 * which are counted per minute at the cost of a few additions per call.
 */
export class UpstreamRecord {
  /** The catalogue's at the time of the last call. */
  upstream: Upstream;
  readonly key: string;
  readonly load = new PeakEwma();
  readonly cooldown = new Cooldown();
  readonly circuit = new Circuit();
  readonly concurrency = new ConcurrencyLimit();
  readonly #minutes: (Minute | undefined)[] = Array.from({ length: minutes });

  /** @param key by which it is found */
  constructor(upstream: Upstream, key: string) {
    this.upstream = upstream;
    this.key = key;
    this.calledAs(upstream);
  }

  /** The upstream of the next call: the settings of its provider are in force. */
  calledAs(upstream: Upstream): void {
    this.upstream = upstream;
    const { circuit = usualCircuit, adaptiveConcurrency } = upstream.provider;
    this.circuit.settings = circuit;
    if (adaptiveConcurrency !== undefined) this.concurrency.within(adaptiveConcurrency);
  }

  /** @param nowMs monotonic */
  succeeded(tookMs: number, nowMs: number): void {
    const minute = this.#minuteOf(nowMs);
    const bin = binOf(tookMs);
    minute.calls++;
    this.load.observe(tookMs, nowMs);
    minute.latency[bin] = (minute.latency[bin] ?? 0) + 1;
  }

  failed(nowMs: number): void {
    const minute = this.#minuteOf(nowMs);
    minute.calls++;
    minute.failures++;
  }

  /** A response that blames the request does not count against the upstream. */
  refused(nowMs: number): void {
    this.#minuteOf(nowMs).calls++;
  }

  figures(nowMs: number): UpstreamFigures {
    const now = Math.floor(nowMs / minuteMs);
    const latency = Array.from({ length: binCount }, () => 0);
    let [calls, failures] = [0, 0];
    for (const minute of this.#minutes) {
      if (minute === undefined || now - minute.number >= minutes) continue;
      calls += minute.calls;
      failures += minute.failures;
      for (const [bin, times] of minute.latency.entries()) latency[bin] = (latency[bin] ?? 0) + times;
    }
    return { calls, failures, latency };
  }

  #minuteOf(nowMs: number): Minute {
    const number = Math.floor(nowMs / minuteMs);
    const place = number % minutes;
    const known = this.#minutes[place];
    if (known?.number === number) return known;
    const minute = { number, calls: 0, failures: 0, latency: new Uint32Array(binCount) };
    this.#minutes[place] = minute;
    return minute;
  }
}
