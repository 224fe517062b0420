import { GatewayError } from "@uag/contract/errors/gateway-error";
import { maxReturnedSlots } from "@uag/contract/messages/billing";
import type { BorrowRequest, LimitKind } from "@uag/proto/billing/v1/limits.ts";
import { outOfReach } from "../refusals.ts";
import type { LimitHeaders } from "./headers.ts";
import type { Holder } from "./holder.ts";
import type { Permits } from "./window-permits.ts";

/** One limit's permits in this replica. */
export interface ReplicaPermits {
  readonly held: number;
  freeAt(now: number): number;
  add(permits: Permits, now: number): void;
  remove(count: number, now: number): Permits[];
}

/** One limit of one key or budget: how permits are kept, borrowed and refused. */
export interface SharedLimitOptions {
  readonly kind: LimitKind;
  readonly keyId: string;
  readonly holder: Holder;
  readonly now: () => number;
  readonly permits: ReplicaPermits;
  /** Takes `count` permits if they are free. */
  readonly take: (count: number) => boolean;
  /** How long billing's refusal holds when it names no time, milliseconds. */
  readonly unknownExhaustedMs: number;
  /**
   * The refusal of a request for `count` permits; `retryAfterMs` is until the next permit is free,
   * if billing knows.
   */
  readonly refusal: (request: PermitRequest, retryAfterMs: number | undefined) => GatewayError;
}

/** What a request needs of one limit. */
export interface PermitRequest {
  readonly count: number;
  /** Adds Anthropic's headers to the refusal. */
  readonly native: boolean;
  /** The refusal's headers. */
  readonly shown: LimitHeaders;
  /**
   * Called in the same turn in which the permits are taken: by the next one the lease may have
   * expired and other permits be here.
   */
  readonly taken: () => void;
}

interface Waiter {
  readonly request: PermitRequest;
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
}

/**
 * Billing is asked again after this at the latest: other replicas may have returned permits early.
 */
const maxExhaustedMs = 1_000;
const minExhaustedMs = 50;
/**
 * How much to request ahead of need: this fraction of the limit, or the use of this period,
 * whichever is more.
 */
const aheadPart = 16;
const aheadMs = 2_000;

/**
 * One limit of one key or budget in this replica: its permits, the waiting requests and a single call to
 * billing at a time. Permits at hand are used from memory; when billing has none either, that is
 * remembered until the next permit can be free.
 */
export class SharedLimit {
  readonly #options: SharedLimitOptions;
  permits: ReplicaPermits;
  limit = 0;
  #version = 0n;
  readonly #waiters: Waiter[] = [];
  #returns: Permits[] = [];
  #calling: Promise<void> | undefined;
  /** Increases when everything is returned: permits requested before that are returned too. */
  #epoch = 0;
  /** A call without a response: repeated verbatim, since billing may have received it. */
  #pendingRequest: BorrowRequest | undefined;
  #exhaustedUntil = 0;
  #exhaustedCount = 0;
  /** Nothing is requested ahead of need before this time. */
  #aheadFrom = 0;
  #retryAt: number | undefined;
  /** Used since the last tick, and the average use per millisecond. */
  #used = 0;
  #rate = 0;
  #idleMs = 0;

  constructor(options: SharedLimitOptions) {
    this.#options = options;
    this.permits = options.permits;
  }

  /** True when it holds no permit and no request waits. */
  get empty(): boolean {
    return this.permits.held <= 0 && !this.#owes && this.#calling === undefined;
  }

  get #owes(): boolean {
    return this.#waiters.length > 0 || this.#returns.length > 0 || this.#pendingRequest !== undefined;
  }

  learn(limit: number, version: bigint): void {
    this.limit = limit;
    this.#version = version;
    this.#exhaustedUntil = 0;
  }

  /** Takes permits at hand; false when there are too few or others are already waiting. */
  take(count: number, now: number): boolean {
    if (this.#waiters.length > 0 || !this.#options.take(count)) return false;
    this.#used += count;
    const { held } = this.permits;
    if (held < this.limit && now >= this.#aheadFrom && this.permits.freeAt(now) < this.#ahead() / 2) void this.#call();
    return true;
  }

  /**
   * Waits for permits from billing. @throws {GatewayError} the refusal, or `service_unavailable`
   */
  wait(request: PermitRequest): Promise<void> {
    const { now, holder } = this.#options;
    const at = now();
    // All existing permits may be here and in use.
    const exhausted =
      (at < this.#exhaustedUntil && request.count >= this.#exhaustedCount) || this.permits.held >= this.limit;
    if (exhausted && this.#waiters.length === 0 && holder.live && this.permits.freeAt(at) < request.count)
      return Promise.reject(this.#refusal(request));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ request, resolve, reject });
      void this.#call();
    });
  }

  /** Permits became free: serves waiting requests. */
  freed(): void {
    if (this.#waiters.length > 0) this.#serve();
  }

  /** Returns permits to billing. */
  returnPermits(permits: Permits[]): Promise<void> {
    if (permits.length === 0) return Promise.resolve();
    this.#returns.push(...permits);
    return this.#call();
  }

  /** Returns everything, including permits still in flight to this replica. */
  returnAll(permits: Permits[]): Promise<void> {
    this.#epoch++;
    return this.returnPermits(permits);
  }

  /** Returns idle permits: `need` if available, and at least half of those that are free. */
  async returnIdle(need: number): Promise<void> {
    const now = this.#options.now();
    const free = this.permits.freeAt(now);
    if (free <= 0 || this.#waiters.length > 0) return;
    await this.returnPermits(this.permits.remove(Math.min(free, Math.max(need, Math.ceil(free / 2))), now));
  }

  /** The lease expired: replaces the permits. */
  lapse(permits: ReplicaPermits): void {
    this.permits = permits;
    this.#returns = [];
    this.#pendingRequest = undefined;
    this.#exhaustedUntil = 0;
  }

  /**
   * Called about once a second: tracks usage, returns what has been idle for `idleMs`, and resends
   * what could not be sent.
   */
  advance(elapsedMs: number, idleMs: number): void {
    this.#rate += (this.#used / Math.max(1, elapsedMs) - this.#rate) / 2;
    this.#idleMs = this.#used === 0 && this.#waiters.length === 0 ? this.#idleMs + elapsedMs : 0;
    this.#used = 0;
    if (this.#idleMs >= idleMs) {
      const now = this.#options.now();
      this.#returns.push(...this.permits.remove(Math.max(0, this.permits.freeAt(now)), now));
    }
    if (this.#owes) void this.#call();
  }

  #ahead(): number {
    return Math.min(this.limit, Math.max(Math.ceil(this.limit / aheadPart), Math.ceil(this.#rate * aheadMs)));
  }

  #refusal(request: PermitRequest): GatewayError {
    const ms = this.#retryAt === undefined ? undefined : Math.max(1, this.#retryAt - this.#options.now());
    return this.#options.refusal(request, ms);
  }

  #serve(): void {
    let served = 0;
    for (const waiter of this.#waiters) {
      if (!this.#options.take(waiter.request.count)) break;
      this.#used += waiter.request.count;
      waiter.request.taken();
      served++;
      waiter.resolve();
    }
    this.#waiters.splice(0, served);
  }

  #call(): Promise<void> {
    this.#calling ??= this.#callAll()
      .then(
        () => this.#returns.length > 0,
        (error: unknown) => {
          for (const { reject } of this.#waiters.splice(0)) reject(outOfReach(error));
          return false;
        },
      )
      .then((more) => {
        this.#calling = undefined;
        // A request may have queued up between the loop's last check and this turn.
        if (more || this.#waiters.length > 0) void this.#call();
      });
    return this.#calling;
  }

  async #callAll(): Promise<void> {
    do {
      const { holder, now } = this.#options;
      await holder.ensure();
      this.#serve();
      const again = this.#pendingRequest !== undefined;
      this.#pendingRequest ??= this.#request(holder.id);
      const request = this.#pendingRequest;
      const epoch = this.#epoch;
      const response = await holder.borrow(request).catch((error: unknown) => {
        if (request.holderId !== holder.id) return undefined;
        this.#refused(request, error);
        throw error;
      });
      // After a pause longer than the lease, others may hold these permits by now.
      await holder.ensure();
      // A lapsed id has no permits: the next round asks under the new id.
      if (response === undefined || request.holderId !== holder.id) continue;
      this.#pendingRequest = undefined;
      const lent = response.lent.map(({ count, freeInMs }) => ({ count: Number(count), freeInMs }));
      if (epoch !== this.#epoch) {
        this.#returns.push(...lent);
        continue;
      }
      for (const permits of lent) this.permits.add(permits, now());
      this.#serve();
      const free = lent.reduce((sum, { count, freeInMs }) => (freeInMs === 0 ? sum + count : sum), 0);
      if (free < request.want) this.#aheadFrom = now() + maxExhaustedMs;
      if (!again && free < request.need) this.#markExhausted(response.retryAfterMs);
    } while (this.#waiters.length > 0 || this.#returns.length > 0);
  }

  /**
   * Billing rejected a call as invalid and took nothing of it: the next one is built anew.
   */
  #refused({ returned }: BorrowRequest, error: unknown): void {
    if (!(error instanceof GatewayError) || error.code !== "invalid_request") return;
    this.#pendingRequest = undefined;
    this.#returns.push(...returned.map(({ count, freeInMs }) => ({ count: Number(count), freeInMs })));
  }

  /** As many of the permits that wait to be returned as one call takes. */
  #takeReturns(): Permits[] {
    const counts = new Map<number, number>();
    for (const { count, freeInMs } of this.#returns) counts.set(freeInMs, (counts.get(freeInMs) ?? 0) + count);
    const merged = [...counts].map(([freeInMs, count]) => ({ count, freeInMs }));
    this.#returns = merged.slice(maxReturnedSlots);
    return merged.slice(0, maxReturnedSlots);
  }

  /**
   * Billing has no more: refuses the waiting requests, and those that arrive before another
   * response is possible.
   */
  #markExhausted(retryAfterMs: number): void {
    const now = this.#options.now();
    const known = retryAfterMs > 0;
    this.#retryAt = known ? now + retryAfterMs : undefined;
    const waiters = this.#waiters.splice(0);
    const left = waiters.filter(({ request, resolve }) => {
      if (!this.#options.take(request.count)) return true;
      request.taken();
      resolve();
      return false;
    });
    if (left.length === 0) return;
    this.#exhaustedUntil =
      now +
      (known ? Math.min(maxExhaustedMs, Math.max(minExhaustedMs, retryAfterMs)) : this.#options.unknownExhaustedMs);
    this.#exhaustedCount = Math.min(...left.map(({ request }) => request.count));
    for (const { request, reject } of left) reject(this.#refusal(request));
  }

  #request(holderId: string): BorrowRequest {
    const now = this.#options.now();
    const waiting = this.#waiters.reduce((sum, { request }) => sum + request.count, 0);
    const need = waiting === 0 ? 0 : Math.min(this.limit, Math.max(1, waiting - this.permits.freeAt(now)));
    const giving = waiting === 0 && this.#returns.length > 0;
    const want = giving ? 0 : Math.max(need, Math.min(this.limit - this.permits.held, need + this.#ahead()));
    return {
      holderId,
      keyId: this.#options.keyId,
      kind: this.#options.kind,
      limit: BigInt(this.limit),
      keyVersion: this.#version,
      need: BigInt(need),
      want: BigInt(Math.max(0, want)),
      returned: this.#takeReturns().map(({ count, freeInMs }) => ({ count: BigInt(count), freeInMs })),
      sequence: this.#options.holder.nextSequence(),
    };
  }
}
