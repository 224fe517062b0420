import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Clock } from "./clock.ts";

/** Limits on each key's unbilled requests. */
export interface FreeLimitsOptions {
  readonly clock: Clock;
  /** Units per key and minute. */
  readonly perMinute: number;
  /** Concurrent requests per key. */
  readonly concurrency: number;
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

/** A key's remaining allowance. */
interface Bucket {
  units: number;
  /** The time at which `units` was computed, on the monotonic clock. */
  at: number;
  perMs: number;
  open: number;
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
 * and polling do not consume that. The bucket fills at the key's own limit, within bounds.
 */
export class FreeLimits {
  readonly #options: FreeLimitsOptions;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = minSwept;

  constructor(options: FreeLimitsOptions) {
    this.#options = options;
  }

  /**
   * Takes what a request needs; `leave` must follow. @throws {GatewayError} 429 with a retry time
   */
  enter(request: FreeRequest): void {
    const { concurrency } = this.#options;
    const bucket = this.#bucketOf(request);
    if (bucket.open >= concurrency) {
      const text = `This key has ${concurrency} requests that cost nothing under way at once already. Try again shortly.`;
      throw new GatewayError("concurrency_limit_exceeded", text, { retryAfterMs: concurrencyRetryMs });
    }
    const max = bucket.perMs * burstMs;
    const need = Math.min(max, 1 + Math.floor((request.bodyBytes ?? Number.POSITIVE_INFINITY) / unitBytes));
    if (bucket.units < need) {
      const retryAfterMs = Math.ceil((need - bucket.units) / bucket.perMs);
      const text = `This key has used up its requests that cost nothing: ${Math.round(bucket.perMs * minuteMs)} a minute, where large bodies count more than once. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
      throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
    }
    bucket.units -= need;
    bucket.open++;
  }

  /** Ends a request. */
  leave(keyId: string): void {
    const bucket = this.#buckets.get(keyId);
    if (bucket !== undefined) bucket.open--;
  }

  #bucketOf({ keyId, requestsPerMinute }: FreeRequest): Bucket {
    const now = this.#options.clock.monotonic();
    const { perMinute } = this.#options;
    const own = requestsPerMinute === 0 ? perMinute : Math.min(perMinute, Math.max(requestsPerMinute, minPerMinute));
    const perMs = own / minuteMs;
    const known = this.#buckets.get(keyId);
    if (known !== undefined) {
      known.perMs = perMs;
      fill(known, now);
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
    const bucket = { units: perMs * burstMs, at: now, perMs, open: 0 };
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
