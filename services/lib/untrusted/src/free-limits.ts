import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Clock } from "@uag/runtime/clock";
import { Semaphore } from "@uag/runtime/concurrency/semaphore";

/** Limits on each key's unbilled requests. */
export interface FreeLimitsOptions {
  readonly clock: Clock;
  /** Units per key and minute. */
  readonly perMinute: number;
  /** Concurrent requests per key. */
  readonly concurrency: number;
  /** Longest wait for units, and then for a slot, before a request is refused. Milliseconds. */
  readonly maxWaitMs?: number;
}

/**
 * A key with a low limit of its own still gets this many units a minute: its client lists models
 * and the like at startup.
 */
const minPerMinute = 60;
/** An idle key may burst as much as accumulates in this time. */
const burstMs = 30_000;
const minuteMs = 60_000;
/** A request costs one unit, plus one for each of this many bytes of its body. */
const unitBytes = 64 * 1024;
const concurrencyRetryMs = 500;
const minSwept = 1_000;
/** Claude Code counts the tokens of dozens of tools at once. */
const defaultMaxWaitMs = 2_000;
/** A key may have this many requests waiting for each one that it may run. */
const waitingPerSlot = 16;

/** A key's remaining allowance. */
interface Bucket {
  /** Negative while requests wait for units that they have reserved. */
  units: number;
  /** The time at which `units` was computed, on the monotonic clock. */
  at: number;
  perMs: number;
  /** Requests that run or wait. */
  open: number;
  readonly slots: Semaphore;
}

/** A request for something free. */
export interface FreeRequest {
  readonly keyId: string;
  /** The key's own limit of requests per minute; 0: none. */
  readonly requestsPerMinute: number;
  /** Length of the request's body; undefined when unknown. */
  readonly bodyBytes: number | undefined;
}

/**
 * Limits free requests, which admission does not limit: lists, counts, states. Each key has a
 * bucket of its own in each router, separate from its limit on billed requests, so that counting
 * and polling do not consume that. The bucket fills at the key's own limit, within bounds. A
 * request beyond the limits waits briefly before it is refused: a client that sends a burst of
 * small requests is slowed down, and does not fail.
 */
export class FreeLimits {
  readonly #options: FreeLimitsOptions;
  readonly #maxWaitMs: number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = minSwept;

  constructor(options: FreeLimitsOptions) {
    this.#options = options;
    this.#maxWaitMs = options.maxWaitMs ?? defaultMaxWaitMs;
  }

  /**
   * Takes the units and the slot that a request needs; disposing the result frees the slot.
   * @param signal aborts the wait, when the client disconnects
   * @throws {GatewayError} 429 with a retry time; the signal's reason
   */
  async enter(request: FreeRequest, signal?: AbortSignal): Promise<Disposable> {
    const bucket = this.#bucketOf(request);
    if (bucket.open >= this.#options.concurrency * (1 + waitingPerSlot)) throw this.#tooMany();
    const waitMs = reserve(bucket, request, this.#maxWaitMs);
    bucket.open++;
    try {
      if (waitMs > 0) await sleep(waitMs, undefined, signal && { signal });
      if (!bucket.slots.tryAcquire()) await this.#waitForSlot(bucket, signal);
    } catch (error) {
      bucket.open--;
      throw error;
    }
    return {
      [Symbol.dispose]: () => {
        bucket.open--;
        bucket.slots.release();
      },
    };
  }

  async #waitForSlot({ slots }: Bucket, signal: AbortSignal | undefined): Promise<void> {
    const timeout = AbortSignal.timeout(this.#maxWaitMs);
    try {
      await slots.acquire(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (error) {
      throw error === timeout.reason ? this.#tooMany() : error;
    }
  }

  #tooMany(): GatewayError {
    const text = `This key already has ${this.#options.concurrency} free requests in progress. Try again shortly.`;
    return new GatewayError("concurrency_limit_exceeded", text, { retryAfterMs: concurrencyRetryMs });
  }

  #bucketOf({ keyId, requestsPerMinute }: FreeRequest): Bucket {
    const now = this.#options.clock.monotonic();
    const { perMinute, concurrency } = this.#options;
    const own = requestsPerMinute === 0 ? perMinute : Math.min(perMinute, Math.max(requestsPerMinute, minPerMinute));
    const perMs = own / minuteMs;
    const known = this.#buckets.get(keyId);
    if (known !== undefined) {
      known.perMs = perMs;
      fill(known, now);
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
    const bucket = { units: perMs * burstMs, at: now, perMs, open: 0, slots: new Semaphore(concurrency) };
    this.#buckets.set(keyId, bucket);
    return bucket;
  }

  /** Forgets keys whose bucket is full, as a new one would be. */
  #sweep(now: number): void {
    for (const [keyId, bucket] of this.#buckets) {
      fill(bucket, now);
      if (bucket.open === 0 && bucket.units >= bucket.perMs * burstMs) this.#buckets.delete(keyId);
    }
    this.#sweepAt = Math.max(minSwept, 2 * this.#buckets.size);
  }
}

function fill(bucket: Bucket, now: number): void {
  bucket.units = Math.min(bucket.perMs * burstMs, bucket.units + (now - bucket.at) * bucket.perMs);
  bucket.at = now;
}

/**
 * Reserves a request's units.
 * @returns milliseconds until they have accumulated
 * @throws {GatewayError} `rate_limit_exceeded` when that takes longer than `maxWaitMs`
 */
function reserve(bucket: Bucket, { bodyBytes }: FreeRequest, maxWaitMs: number): number {
  const max = bucket.perMs * burstMs;
  const need = Math.min(max, 1 + Math.floor((bodyBytes ?? Number.POSITIVE_INFINITY) / unitBytes));
  const waitMs = Math.max(0, Math.ceil((need - bucket.units) / bucket.perMs));
  if (waitMs > maxWaitMs) {
    const limit = Math.round(bucket.perMs * minuteMs);
    const text = `This key has reached its limit of ${limit} free requests per minute; a large body counts as several. Try again in ${Math.ceil(waitMs / 1_000)} s.`;
    throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs: waitMs });
  }
  bucket.units -= need;
  return waitMs;
}
