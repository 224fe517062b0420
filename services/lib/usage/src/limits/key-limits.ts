import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LimitName } from "@uag/contract/messages/billing";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Clock } from "@uag/runtime/clock";
import { ConcurrencyPermits } from "./concurrency-permits.ts";
import { limitHeaders, type Standing } from "./headers.ts";
import type { Holder } from "./holder.ts";
import { largerThanLimit, overLimit } from "./refusal.ts";
import { Reservation } from "./reservation.ts";
import { type PermitRequest, SharedLimit } from "./shared-limit.ts";
import { WindowPermits } from "./window-permits.ts";

/** What a request needs of its key's limits. */
export interface LimitRequest {
  /** 0 for a request without tokens. */
  readonly tokens: number;
  /** A messages operation: adds Anthropic's headers. */
  readonly native: boolean;
}

interface KeyLimitsOptions {
  readonly holder: Holder;
  readonly clock: Clock;
}

/** When a request in flight will end is unknown; this is soon enough to retry. */
const concurrencyRetryMs = 500;
const concurrencyExhaustedMs = 100;
const unknownRetryMs = 1_000;
const max = BigInt(Number.MAX_SAFE_INTEGER);
type WindowName = "requests" | "tokens";
const names = ["requests", "tokens", "concurrency"] as const;

/** One key's limits in this replica. */
export class KeyLimits {
  readonly keyId: string;
  readonly #options: KeyLimitsOptions;
  readonly #now: () => number;
  readonly #limits: Readonly<Record<LimitName, SharedLimit>>;
  #requests = new WindowPermits();
  #tokens = new WindowPermits();
  readonly #concurrency = new ConcurrencyPermits();
  #version = -1n;

  constructor(keyId: string, options: KeyLimitsOptions) {
    this.keyId = keyId;
    this.#options = options;
    this.#now = () => options.clock.monotonic();
    const common = { keyId, now: this.#now, holder: options.holder };
    const window = { ...common, unknownExhaustedMs: unknownRetryMs };
    this.#limits = {
      requests: new SharedLimit({
        ...window,
        kind: LimitKind.REQUESTS,
        permits: this.#requests,
        take: (count) => this.#requests.reserve(count, this.#now()),
        refusal: (request, ms) => this.#windowRefusal("requests", this.#requests, request, ms),
      }),
      tokens: new SharedLimit({
        ...window,
        kind: LimitKind.TOKENS,
        permits: this.#tokens,
        take: (count) => this.#tokens.reserve(count, this.#now()),
        refusal: (request, ms) => this.#windowRefusal("tokens", this.#tokens, request, ms),
      }),
      concurrency: new SharedLimit({
        ...common,
        unknownExhaustedMs: concurrencyExhaustedMs,
        kind: LimitKind.CONCURRENCY,
        permits: this.#concurrency,
        take: () => this.#concurrency.use(),
        refusal: ({ native }) =>
          overLimit("concurrency", this.#limits.concurrency.limit, {
            retryAfterMs: concurrencyRetryMs,
            headers: this.headers(native),
          }),
      }),
    };
  }

  /** True when forgetting this key would lose nothing. */
  get empty(): boolean {
    return names.every((name) => this.#limits[name].empty) && this.#concurrency.inFlight === 0;
  }

  /** True while this replica must send heartbeats to billing. */
  get holds(): boolean {
    return names.some((name) => this.#limits[name].permits.held > 0);
  }

  /** Adopts the caller's view of the key's limits if it is newer. */
  learn({ version, limits }: Caller): void {
    if (version <= this.#version) return;
    this.#version = version;
    const now = {
      requests: limits?.requestsPerMinute ?? 0n,
      tokens: limits?.tokensPerMinute ?? 0n,
      concurrency: limits?.concurrentRequests ?? 0n,
    };
    for (const name of names) {
      const limit = this.#limits[name];
      const value = Number(now[name] < max ? now[name] : max);
      const lowered = value < limit.limit;
      limit.learn(value, version);
      // Only billing, with all permits returned, can decide which of them remain under a lowered limit.
      if (lowered) void this.#returnAll(name);
    }
  }

  /** The key changed in an unknown way: returns all idle permits; others are borrowed on demand. */
  async returnAll(): Promise<void> {
    await Promise.all(names.map((name) => this.#returnAll(name)));
  }

  #returnAll(name: LimitName): Promise<void> {
    const limit = this.#limits[name];
    const permits = { requests: this.#requests, tokens: this.#tokens, concurrency: this.#concurrency }[name];
    return limit.returnAll(permits.removeAll(this.#now()));
  }

  /**
   * Takes from memory; undefined when it would have to wait. @throws {GatewayError} when waiting
   * cannot help
   */
  take(request: LimitRequest): Reservation | undefined {
    const now = this.#now();
    this.#check(request);
    if (!this.#options.holder.live) return undefined;
    const reservation = new Reservation(this.#limits, { now: this.#now, holder: this.#options.holder });
    for (const name of names) {
      const limit = this.#limits[name];
      const count = name === "tokens" ? request.tokens : 1;
      if (limit.limit === 0 || count === 0) continue;
      if (!limit.take(count, now)) {
        reservation.undo();
        return undefined;
      }
      this.#note(reservation, name, count);
    }
    reservation.headers = this.headers(request.native);
    return reservation;
  }

  /** Takes one limit after another, waiting for billing where needed. @throws {GatewayError} */
  async wait(request: LimitRequest): Promise<Reservation> {
    this.#check(request);
    const reservation = new Reservation(this.#limits, { now: this.#now, holder: this.#options.holder });
    try {
      for (const name of names) {
        const limit = this.#limits[name];
        const count = name === "tokens" ? request.tokens : 1;
        if (limit.limit === 0 || count === 0) continue;
        const live = this.#options.holder.live;
        const note = (): void => this.#note(reservation, name, count);
        if (live && limit.take(count, this.#now())) note();
        else await limit.wait({ count, native: request.native, taken: note });
      }
    } catch (error) {
      reservation.undo();
      throw error;
    }
    reservation.headers = this.headers(request.native);
    return reservation;
  }

  #check({ tokens, native }: LimitRequest): void {
    const { limit } = this.#limits.tokens;
    if (limit !== 0 && tokens > limit) throw largerThanLimit(tokens, limit, this.headers(native));
  }

  #note(reservation: Reservation, name: LimitName, count: number): void {
    reservation.heldBy ??= this.#options.holder.id;
    if (name === "requests") reservation.requests = { permits: this.#requests, count };
    else if (name === "tokens") reservation.tokens = { permits: this.#tokens, count };
    else reservation.concurrency = this.#concurrency;
  }

  #windowRefusal(
    name: WindowName,
    permits: WindowPermits,
    request: PermitRequest,
    ms: number | undefined,
  ): GatewayError {
    const now = this.#now();
    const { limit } = this.#limits[name];
    const own = request.count === 1 ? permits.nextFreeInMs(now) : permits.freeInMs(request.count, now);
    const retryAfterMs = Math.min(own ?? ms ?? unknownRetryMs, ms ?? Number.POSITIVE_INFINITY);
    return overLimit(name, limit, { retryAfterMs, headers: this.headers(request.native, { name, retryAfterMs }) });
  }

  /**
   * The response headers as of now. A refused limit is shown as used up, though perhaps other
   * replicas used it.
   */
  headers(native: boolean, refused?: { readonly name: WindowName; readonly retryAfterMs: number }): string[] {
    const now = this.#now();
    const standing = (name: WindowName, permits: WindowPermits): Standing | undefined => {
      const { limit } = this.#limits[name];
      if (limit === 0) return undefined;
      const resetMs = permits.allFreeInMs(now);
      if (refused?.name === name && name === "requests")
        return { limit, remaining: 0, resetMs: Math.max(resetMs, refused.retryAfterMs) };
      return { limit, remaining: Math.max(0, limit - permits.usedAt(now)), resetMs };
    };
    const standings = { requests: standing("requests", this.#requests), tokens: standing("tokens", this.#tokens) };
    return limitHeaders(standings, { native, nowMs: this.#options.clock.now() });
  }

  /** The limit's permits that are in use or cooling down in this replica. */
  used(name: LimitName): number {
    if (name === "concurrency") return this.#concurrency.inFlight;
    return { requests: this.#requests, tokens: this.#tokens }[name].usedAt(this.#now());
  }

  async returnIdle(name: LimitName, need: number): Promise<number | undefined> {
    await this.#limits[name].returnIdle(need);
    const permits = { requests: this.#requests, tokens: this.#tokens, concurrency: undefined }[name];
    return permits?.nextFreeInMs(this.#now());
  }

  /** The lease expired: no permit is ours any more. Requests in flight continue, and count. */
  lapse(): void {
    this.#requests = new WindowPermits();
    this.#tokens = new WindowPermits();
    this.#concurrency.lapse();
    this.#limits.requests.lapse(this.#requests);
    this.#limits.tokens.lapse(this.#tokens);
    this.#limits.concurrency.lapse(this.#concurrency);
  }

  advance(elapsedMs: number, idleMs: number): void {
    for (const name of names) this.#limits[name].advance(elapsedMs, idleMs);
  }
}
