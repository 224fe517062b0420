import { budgetOfLevel, isEndUserLevel } from "@uag/contract/end-users";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LimitName } from "@uag/contract/messages/billing";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import type { Clock } from "@uag/runtime/clock";
import { levelText } from "../refusals.ts";
import { ConcurrencyPermits } from "./concurrency-permits.ts";
import type { LimitHeaders, Standing, WindowName } from "./headers.ts";
import type { Holder } from "./holder.ts";
import { largerThanLimit, overLimit, type ReachedLimit } from "./refusal.ts";
import { Reservation } from "./reservation.ts";
import { type PermitRequest, SharedLimit } from "./shared-limit.ts";
import { WindowPermits } from "./window-permits.ts";

/** What a request needs of the limits of its key and of each level above it. */
export interface LimitRequest {
  /** 0 for a request without tokens. */
  readonly tokens: number;
  /** A messages operation: adds Anthropic's headers. */
  readonly native: boolean;
}

/** The limits of a key, or of a budget or each of its end users with the budget's name, as of a version. */
export interface LimitTerms {
  readonly version: bigint;
  readonly limits?: Limits | undefined;
  /** Absent: those of a key. */
  readonly name?: string;
}

interface ScopeLimitsOptions {
  readonly holder: Holder;
  readonly clock: Clock;
}

/** When a request in flight will end is unknown; this is soon enough to retry. */
const concurrencyRetryMs = 500;
const concurrencyExhaustedMs = 100;
const unknownRetryMs = 1_000;
const max = BigInt(Number.MAX_SAFE_INTEGER);
const names = ["requests", "tokens", "concurrency"] as const;

const shownLevel = (id: string, name: string) => ({ id: budgetOfLevel(id), name, endUser: isEndUserLevel(id) });

/** The limits of one scope, a key, a budget or an end user, in this replica. */
export class ScopeLimits {
  readonly id: string;
  readonly #options: ScopeLimitsOptions;
  readonly #now: () => number;
  readonly #limits: Readonly<Record<LimitName, SharedLimit>>;
  #requests = new WindowPermits();
  #tokens = new WindowPermits();
  readonly #concurrency = new ConcurrencyPermits();
  #version = -1n;
  /** Undefined for a key. */
  #name: string | undefined;
  /** Requests that wait here or for another limit, and may take permits here. */
  waiting = 0;

  constructor(id: string, options: ScopeLimitsOptions) {
    this.id = id;
    this.#options = options;
    this.#now = () => options.clock.monotonic();
    const common = { keyId: id, now: this.#now, holder: options.holder };
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
        refusal: ({ native, shown }) =>
          overLimit(this.#reached("concurrency"), {
            retryAfterMs: concurrencyRetryMs,
            headers: shown.headers(native),
          }),
      }),
    };
  }

  /** True when forgetting this scope would lose nothing. */
  get empty(): boolean {
    return this.waiting === 0 && this.#concurrency.inFlight === 0 && names.every((name) => this.#limits[name].empty);
  }

  /** True while this replica must send heartbeats to billing. */
  get holds(): boolean {
    return names.some((name) => this.#limits[name].permits.held > 0);
  }

  /** Adopts the caller's view of the limits if it is newer. */
  learn({ version, limits, name: shownName }: LimitTerms): void {
    if (version <= this.#version) return;
    this.#version = version;
    this.#name = shownName;
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

  /** The scope changed in an unknown way: returns all idle permits; others are borrowed on demand. */
  async returnAll(): Promise<void> {
    await Promise.all(names.map((name) => this.#returnAll(name)));
  }

  #returnAll(name: LimitName): Promise<void> {
    const limit = this.#limits[name];
    const permits = { requests: this.#requests, tokens: this.#tokens, concurrency: this.#concurrency }[name];
    return limit.returnAll(permits.removeAll(this.#now()));
  }

  /** Takes from memory; undefined when it would have to wait. */
  take(request: LimitRequest): Reservation | undefined {
    const now = this.#now();
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
    return reservation;
  }

  /**
   * Takes one limit after another, waiting for billing where needed.
   * @param shown the headers of a refusal
   * @throws {GatewayError}
   */
  async wait({ tokens, native }: LimitRequest, shown: LimitHeaders): Promise<Reservation> {
    const reservation = new Reservation(this.#limits, { now: this.#now, holder: this.#options.holder });
    try {
      for (const name of names) {
        const limit = this.#limits[name];
        const count = name === "tokens" ? tokens : 1;
        if (limit.limit === 0 || count === 0) continue;
        const live = this.#options.holder.live;
        const note = (): void => this.#note(reservation, name, count);
        if (live && limit.take(count, this.#now())) note();
        else await limit.wait({ count, native, shown, taken: note });
      }
    } catch (error) {
      reservation.undo();
      throw error;
    }
    return reservation;
  }

  /** @throws {GatewayError} when waiting cannot help */
  check({ tokens, native }: LimitRequest, shown: LimitHeaders): void {
    const { limit } = this.#limits.tokens;
    if (limit !== 0 && tokens > limit) throw largerThanLimit(tokens, this.#reached("tokens"), shown.headers(native));
  }

  #reached(name: LimitName): ReachedLimit {
    return {
      name,
      limit: this.#limits[name].limit,
      scope: this.#name === undefined ? "this key" : levelText(shownLevel(this.id, this.#name)),
    };
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
    const own = request.count === 1 ? permits.nextFreeInMs(now) : permits.freeInMs(request.count, now);
    const retryAfterMs = Math.min(own ?? ms ?? unknownRetryMs, ms ?? Number.POSITIVE_INFINITY);
    const standing = this.#standing(name, permits);
    // A refused limit is shown as used up, though perhaps other replicas used it.
    const usedUp = { remaining: 0, resetMs: Math.max(standing.resetMs, retryAfterMs) };
    const refused = { name, standing: name === "requests" ? { ...standing, ...usedUp } : standing };
    return overLimit(this.#reached(name), { retryAfterMs, headers: request.shown.headers(request.native, refused) });
  }

  /** The current state of a limit; undefined without one. */
  standing(name: WindowName): Standing | undefined {
    if (this.#limits[name].limit === 0) return undefined;
    return this.#standing(name, { requests: this.#requests, tokens: this.#tokens }[name]);
  }

  #standing(name: WindowName, permits: WindowPermits): Standing {
    const now = this.#now();
    const { limit } = this.#limits[name];
    return { limit, remaining: Math.max(0, limit - permits.usedAt(now)), resetMs: permits.allFreeInMs(now) };
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
