import type { Upstream } from "@uag/catalog/types";
import { type Clock, systemClock } from "@uag/runtime/clock";
import type { FailureKind, UpstreamFailure } from "./failure.ts";
import { type UpstreamFigures, UpstreamRecord } from "./upstream-record.ts";

/** Consecutive failures after which an upstream cools down. */
const failuresInRow = 5;
const firstCooldownMs = 5_000;
const maxCooldownMs = 60_000;
/** Immediate cooldown by failure kind; a delay requested by the upstream takes precedence. */
const immediateCooldownMs: Partial<Record<FailureKind, number>> = {
  operator: 60_000,
  quota: 300_000,
  capacity: 10_000,
};
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
}

interface State {
  failures: number;
  lastFailure: number;
  cooldowns: number;
  cooldownUntil: number;
}

/**
 * Ranks upstreams by their recent results. One that is cooling down is tried only when no other is
 * left: a cooldown is never a reason to reject a request.
 */
export class UpstreamHealth {
  readonly #states = new Map<string, State>();
  readonly #records = new Map<string, UpstreamRecord>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** End of the upstream's cooldown, in milliseconds of the monotonic clock; 0 when it has none. */
  cooldownUntil(upstream: Upstream): number {
    const until = this.#cooldownUntil(upstream);
    return until > this.#clock.monotonic() ? until : 0;
  }

  /** @param tookMs time to the response, or to its first bytes */
  succeeded(upstream: Upstream, tookMs: number): void {
    this.#recordOf(upstream).succeeded(tookMs, this.#clock.monotonic());
    if (this.#states.size === 0) return;
    this.#states.delete(keyOf(upstream));
    this.#states.delete(upstream.provider.name);
  }

  failed(upstream: Upstream, failure: UpstreamFailure): void {
    const { kind } = failure;
    if (kind === "client") this.#recordOf(upstream).refused(this.#clock.monotonic());
    else if (kind !== "cancelled" && kind !== "busy") this.#recordOf(upstream).failed(this.#clock.monotonic());
    // A full queue says nothing about the upstream.
    if (kind === "client" || kind === "cancelled" || kind === "busy") return;
    // A rejected key or account affects all of the provider's models.
    const key = kind === "operator" || kind === "quota" ? upstream.provider.name : keyOf(upstream);
    const now = this.#clock.monotonic();
    const known = this.#states.get(key);
    const state = known ?? { failures: 0, lastFailure: now, cooldowns: 0, cooldownUntil: 0 };
    this.#states.set(key, state);
    if (now - state.lastFailure > windowMs) state.failures = 0;
    state.failures++;
    state.lastFailure = now;
    const cooldownMs = failure.retryAfterMs ?? immediateCooldownMs[kind];
    if (cooldownMs !== undefined) state.cooldownUntil = Math.max(state.cooldownUntil, now + cooldownMs);
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
      found.set(name, Math.max(found.get(name) ?? 0, (this.#cooldownUntil(upstream) - now) / 1_000));
    }
    return found;
  }

  /** The figures of every upstream that was called in the last hour, or is cooling down. */
  seen(): UpstreamSeen[] {
    const now = this.#clock.monotonic();
    return [...this.#records.values()].flatMap((record): UpstreamSeen[] => {
      const { upstream } = record;
      const cooldownUntil = this.#cooldownUntil(upstream);
      const cooldownForMs = cooldownUntil > now ? Math.round(cooldownUntil - now) : 0;
      const figures = record.figures(now);
      if (figures.calls === 0 && cooldownForMs === 0) return [];
      return [{ provider: upstream.provider.name, model: upstream.model, cooldownForMs, ...figures }];
    });
  }

  #recordOf(upstream: Upstream): UpstreamRecord {
    const key = keyOf(upstream);
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    // Models come from the catalogue, except for dated video models, so the oldest are evicted.
    const [oldest] = this.#records.keys();
    if (this.#records.size >= maxRecords && oldest !== undefined) this.#records.delete(oldest);
    const record = new UpstreamRecord(upstream);
    this.#records.set(key, record);
    return record;
  }

  #cooldownUntil(upstream: Pick<Upstream, "provider" | "model">): number {
    const provider = this.#states.get(upstream.provider.name)?.cooldownUntil ?? 0;
    return Math.max(provider, this.#states.get(keyOf(upstream))?.cooldownUntil ?? 0);
  }
}

function keyOf(upstream: Pick<Upstream, "provider" | "model">): string {
  return `${upstream.provider.name}/${upstream.model}`;
}
