import type { Upstream } from "@uag/catalog/types";
import { type Clock, systemClock } from "@uag/runtime/clock";
import { CredentialHealth, type Rejection } from "./credentials/credential-health.ts";
import type { UpstreamFailure } from "./failure.ts";
import { type UpstreamFigures, UpstreamRecord } from "./upstream-record.ts";

/** Consecutive failures after which an upstream cools down. */
const failuresInRow = 5;
const firstCooldownMs = 5_000;
const maxCooldownMs = 60_000;
/** When the previous failure is older than this, the count starts over. */
const windowMs = 60_000;

const maxRecords = 2_000;

/** One upstream as seen by this process in the last hour. */
export interface UpstreamSeen extends UpstreamFigures {
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  /** How long it is only called as a last resort; 0: not cooling down. */
  readonly cooldownForMs: number;
  /** Set while the provider rejects all our keys, or the account: what an operator must repair. */
  readonly rejection: Rejection | undefined;
}

interface State {
  failures: number;
  lastFailure: number;
  cooldowns: number;
  cooldownUntil: number;
}

/**
 * Ranks upstreams and their credentials by recent results. What is cooling down is tried only when
 * nothing else is left: a cooldown is never a reason to reject a request.
 */
export class UpstreamHealth {
  readonly credentials: CredentialHealth;
  readonly #states = new Map<string, State>();
  readonly #records = new Map<string, UpstreamRecord>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.credentials = new CredentialHealth(clock);
  }

  /** End of the upstream's cooldown, in milliseconds of the monotonic clock; 0 when it has none. */
  cooldownUntil(upstream: Upstream): number {
    const own = this.#states.size === 0 ? 0 : (this.#states.get(keyOf(upstream))?.cooldownUntil ?? 0);
    const until = own > this.#clock.monotonic() ? own : 0;
    return Math.max(until, this.#firstAvailable(upstream));
  }

  /** When the first of the upstream's credentials is available; 0: now. */
  #firstAvailable(upstream: Upstream): number {
    const { pool } = upstream;
    if (pool === undefined) return this.credentials.availableFrom(upstream, 0);
    let first = Number.POSITIVE_INFINITY;
    for (const one of pool) first = Math.min(first, this.credentials.availableFrom(one, 0));
    return first;
  }

  /** The expected time of another call, milliseconds: see `peak-ewma.ts`. */
  loadOf(upstream: Upstream): number {
    return this.#recordOf(upstream).load.load(this.#clock.monotonic());
  }

  /** A call is sent; returns what to call when its response has begun, or never will. */
  began(upstream: Upstream): () => void {
    const { load } = this.#recordOf(upstream);
    load.began();
    return () => load.ended();
  }

  /** @param tookMs time to the response, or to its first bytes */
  succeeded(upstream: Upstream, tookMs: number): void {
    this.#recordOf(upstream).succeeded(tookMs, this.#clock.monotonic());
    this.credentials.succeeded(upstream);
    if (this.#states.size > 0) this.#states.delete(keyOf(upstream));
  }

  failed(upstream: Upstream, failure: UpstreamFailure): void {
    const { kind } = failure;
    if (kind === "client") this.#recordOf(upstream).refused(this.#clock.monotonic());
    else if (kind !== "cancelled" && kind !== "busy") this.#recordOf(upstream).failed(this.#clock.monotonic());
    // A full queue says nothing about the upstream.
    if (kind === "client" || kind === "cancelled" || kind === "busy") return;
    if (this.credentials.failed(upstream, failure)) return;
    const key = keyOf(upstream);
    const now = this.#clock.monotonic();
    const state = this.#states.get(key) ?? { failures: 0, lastFailure: now, cooldowns: 0, cooldownUntil: 0 };
    this.#states.set(key, state);
    if (now - state.lastFailure > windowMs) state.failures = 0;
    state.failures++;
    state.lastFailure = now;
    if (failure.retryAfterMs !== undefined)
      state.cooldownUntil = Math.max(state.cooldownUntil, now + failure.retryAfterMs);
    if (state.failures < failuresInRow) return;
    state.cooldownUntil = Math.max(
      state.cooldownUntil,
      now + Math.min(firstCooldownMs * 2 ** state.cooldowns, maxCooldownMs),
    );
    state.cooldowns++;
    state.failures = 0;
  }

  /** Longest cooldown of each provider that was called, and of its models, in seconds; 0: none. */
  cooldowns(): Map<string, number> {
    const now = this.#clock.monotonic();
    const found = new Map<string, number>();
    for (const { upstream } of this.#records.values()) {
      const { name } = upstream.provider;
      found.set(name, Math.max(found.get(name) ?? 0, (this.cooldownUntil(upstream) - now) / 1_000));
    }
    return found;
  }

  /** The figures of every upstream that was called in the last hour, or is cooling down. */
  seen(): UpstreamSeen[] {
    const now = this.#clock.monotonic();
    return [...this.#records.values()].flatMap((record): UpstreamSeen[] => {
      const { upstream } = record;
      const cooldownUntil = this.cooldownUntil(upstream);
      const cooldownForMs = cooldownUntil > now ? Math.round(cooldownUntil - now) : 0;
      const figures = record.figures(now);
      if (figures.calls === 0 && cooldownForMs === 0) return [];
      const { name: provider } = upstream.provider;
      const rejection = this.#rejectionOf(upstream);
      return [{ provider, model: upstream.model, cooldownForMs, rejection, ...figures }];
    });
  }

  #recordOf(upstream: Upstream): UpstreamRecord {
    const key = keyOf(upstream);
    const known = this.#records.get(key);
    if (known !== undefined) {
      known.upstream = upstream;
      return known;
    }
    // Models come from the catalogue, except for dated video models, so the oldest are evicted.
    const [oldest] = this.#records.keys();
    if (this.#records.size >= maxRecords && oldest !== undefined) this.#records.delete(oldest);
    const record = new UpstreamRecord(upstream);
    this.#records.set(key, record);
    return record;
  }

  /** A key stays rejected after its cooldown, until a call succeeds. */
  #rejectionOf(upstream: Upstream): Rejection | undefined {
    const rejections = (upstream.pool ?? [upstream]).map((one) => this.credentials.stateOf(one.provider).rejection);
    return rejections.includes(undefined) ? undefined : rejections[0];
  }
}

function keyOf(upstream: Pick<Upstream, "provider" | "model">): string {
  return `${upstream.provider.name}/${upstream.model}`;
}
