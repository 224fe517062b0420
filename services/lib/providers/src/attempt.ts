import { setTimeout as sleep } from "node:timers/promises";
import type { Upstream } from "@uag/catalog/types";
import { type FailureKind, UpstreamFailure } from "./failure.ts";
import type { UpstreamHealth } from "./health.ts";
import type { RetryBudget } from "./retry-budget.ts";
import { Route, type RoutedCall, type RoutingOptions } from "./route.ts";
import type { RoutingReasons } from "./routing-reason.ts";

/** Failures that another credential of the same upstream may not have. */
const ofCredential: ReadonlySet<FailureKind> = new Set(["operator", "quota", "capacity"]);
/** Failures that a retry at the same upstream may fix. */
const sameAgain: ReadonlySet<FailureKind> = new Set(["transient", "unreachable", "capacity"]);
const triesOfOne = 3;
const firstBackoffMs = 100;
const maxBackoffMs = 2_000;

export interface AttemptOptions<T> extends RoutingOptions {
  readonly upstreams: readonly Upstream[];
  readonly health: UpstreamHealth;
  readonly budget: RetryBudget;
  readonly signal: AbortSignal;
  /** Attempts that were made for the request already; default: none. */
  readonly attemptsBefore?: number;
  /**
   * One attempt; rejects with an `UpstreamFailure` on failure. Nothing may have reached the client
   * by then.
   */
  call(upstream: Upstream): Promise<T>;
  onCall?(upstream: Upstream, reasons: RoutingReasons): void;
  onResponse?(upstream: Upstream): void;
  onFailure?(upstream: Upstream, failure: UpstreamFailure, attempt: FailedCall): void;
}

/** Of an attempt that failed. */
export interface FailedCall {
  readonly durationMs: number;
  readonly reasons: RoutingReasons;
}

export interface Attempted<T> {
  readonly value: T;
  readonly upstream: Upstream;
  /** Attempts made for the request, including the last one. */
  readonly attempts: number;
}

/** All attempts failed: carries the failure to report to the client, and the number of attempts. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: UpstreamFailure;
  readonly upstream: Upstream;
  readonly attempts: number;

  constructor(failure: UpstreamFailure, upstream: Upstream, attempts: number) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.upstream = upstream;
    this.attempts = attempts;
  }
}

/**
 * Tries the upstreams, best first, until one responds: each once, then retriable ones again, with
 * growing pauses. A delay requested by an upstream is honoured if it is short; otherwise that
 * upstream is not tried again. If a failure is its credential's, another one of the upstream is
 * called next. A final failure ends the attempts, so at most one of them is billed.
 * @throws {AttemptsFailed}
 */
export async function attempt<T>(options: AttemptOptions<T>): Promise<Attempted<T>> {
  const { health, budget, signal, random = Math.random } = options;
  budget.deposit();
  const route = new Route(options.upstreams, health, options);
  const { spend, upstreams } = options;
  const next = (): RoutedCall | undefined | Promise<RoutedCall | undefined> => {
    const prepared = spend?.prepare(upstreams);
    return prepared === undefined ? route.next() : prepared.then(() => route.next());
  };
  let attempts = options.attemptsBefore ?? 0;
  let last: AttemptsFailed | undefined;
  // The first attempt needs no budget.
  let allowed = true;
  for (let tries = 1; ; tries++) {
    let waitMs = 0;
    for (;;) {
      const found = next();
      const routed = found instanceof Promise ? await found : found;
      if (routed === undefined) break;
      if (last !== undefined && (signal.aborted || !(allowed || budget.withdraw()))) throw last;
      allowed = false;
      attempts++;
      const { upstream, reasons } = routed;
      options.onCall?.(upstream, reasons);
      const startedAt = performance.now();
      route.credentials.began(upstream);
      const call = health.began(upstream);
      try {
        const value = await options.call(upstream);
        health.succeeded(call, performance.now() - startedAt);
        options.onResponse?.(upstream);
        return { value, upstream, attempts };
      } catch (error) {
        const failure = asFailure(error);
        health.failed(call, failure);
        options.onFailure?.(upstream, failure, { durationMs: performance.now() - startedAt, reasons });
        last = new AttemptsFailed(moreInformative(last?.failure, failure), upstream, attempts);
        if (failure.isFinal) throw last;
        const retryAfterMs = failure.retryAfterMs ?? 0;
        if (ofCredential.has(failure.kind) && route.callAnother(routed)) continue;
        if (!sameAgain.has(failure.kind) || retryAfterMs > maxBackoffMs) continue;
        route.callAgain(upstream);
        waitMs = Math.max(waitMs, retryAfterMs);
      } finally {
        route.credentials.ended(upstream);
        health.ended(call);
      }
    }
    if (!route.retry() || tries === triesOfOne) break;
    // Checked before the pause: a client does not wait for a retry that is not made.
    allowed = budget.withdraw();
    if (!allowed) break;
    const backoff = Math.min(firstBackoffMs * 2 ** (tries - 1), maxBackoffMs) * (0.5 + random() / 2);
    await sleep(Math.max(waitMs, backoff), undefined, { signal }).catch(() => {});
  }
  throw last ?? allOver(options, attempts);
}

/** No credential of the upstreams may be used. */
function allOver({ upstreams, spend }: Pick<AttemptOptions<never>, "upstreams" | "spend">, attempts: number): Error {
  const [first] = upstreams;
  if (first === undefined || spend === undefined) return new Error("a model without upstreams was called");
  const untilMs = spend.untilMs(upstreams);
  const retryAfterMs = untilMs === 0 ? undefined : Math.max(1, untilMs - Date.now());
  return new AttemptsFailed(
    new UpstreamFailure("spend_cap", "no spend cap leaves enough", { retryAfterMs }),
    first,
    attempts,
  );
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  throw error;
}

/**
 * A limit with a known end is more useful to the client than another failure; a problem of our own
 * account is the least useful.
 */
function moreInformative(before: UpstreamFailure | undefined, now: UpstreamFailure): UpstreamFailure {
  if (before === undefined || now.isFinal) return now;
  const rank: Record<FailureKind, number> = {
    client: 9,
    cancelled: 9,
    capacity: 5,
    busy: 5,
    timeout: 4,
    transient: 3,
    unreachable: 2,
    quota: 1,
    spend_cap: 1,
    unknown_model: 1,
    operator: 0,
  };
  return rank[now.kind] >= rank[before.kind] ? now : before;
}
