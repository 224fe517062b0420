import type { Upstream } from "@uag/catalog/types";
import { type Clock, systemClock } from "@uag/runtime/clock";
import { never } from "./choose.ts";
import type { CircuitState } from "./circuit.ts";
import { CredentialHealth, type Rejection } from "./credentials/credential-health.ts";
import type { FailureKind, UpstreamFailure } from "./failure.ts";
import type { RoutingReason } from "./routing-reason.ts";
import { type UpstreamFigures, UpstreamRecord } from "./upstream-record.ts";

const maxRecords = 2_000;

/** Failures that say nothing about the upstream: the request's, the client's, and a full queue. */
const notItsOwn: ReadonlySet<FailureKind> = new Set(["client", "cancelled", "busy", "spend_cap"]);

/** Failures that fewer concurrent calls may avoid. */
const overload: ReadonlySet<FailureKind> = new Set(["capacity", "timeout"]);

/** One upstream as seen by this process in the last hour. */
export interface UpstreamSeen extends UpstreamFigures {
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  /** How long it is only called as a last resort; 0: not cooling down. */
  readonly cooldownForMs: number;
  readonly circuit: CircuitState;
  /** Set while the provider rejects all our keys, or the account: what an operator must repair. */
  readonly rejection: Rejection | undefined;
}

export interface UpstreamHealthOptions {
  readonly clock?: Clock;
  /** An upstream's circuit opened or closed. */
  onCircuit?(upstream: Upstream, state: CircuitState): void;
}

/** A call under way. */
export interface UpstreamCall {
  readonly upstream: Upstream;
  readonly record: UpstreamRecord;
  /** What the circuit counts its result by. */
  readonly counted: number;
}

/**
 * Ranks upstreams and their credentials by recent results. What is cooling down, or has an open
 * circuit, is tried only when nothing else is left: neither is a reason to reject a request.
 */
export class UpstreamHealth {
  readonly credentials: CredentialHealth;
  readonly #records = new Map<string, UpstreamRecord>();
  /** Those that have failed since; spares requests the key while there is none. */
  readonly #failing = new Map<string, UpstreamRecord>();
  readonly #clock: Clock;
  readonly #onCircuit: UpstreamHealthOptions["onCircuit"];

  constructor({ clock = systemClock, onCircuit }: UpstreamHealthOptions = {}) {
    this.#clock = clock;
    this.#onCircuit = onCircuit;
    this.credentials = new CredentialHealth(clock);
  }

  /** Until when the upstream is avoided, in milliseconds of the monotonic clock; 0: it is not. */
  avoidedUntil(upstream: Upstream): number {
    const failing = this.#failingOf(upstream);
    const first = Math.max(this.#firstAvailable(upstream), this.#belowLimitFrom(upstream));
    if (failing === undefined) return first;
    const now = this.#clock.monotonic();
    return Math.max(failing.cooldown.endsAt(now), failing.circuit.availableFrom(now), first);
  }

  /** Why the upstream is avoided. */
  whyAvoided(upstream: Upstream): RoutingReason {
    const now = this.#clock.monotonic();
    const failing = this.#failingOf(upstream);
    if (failing !== undefined && failing.circuit.availableFrom(now) > 0) return "circuit_open";
    if (failing !== undefined && failing.cooldown.endsAt(now) > 0) return "cooldown";
    if (this.#belowLimitFrom(upstream) > 0) return "concurrency";
    const [one = upstream] = upstream.pool ?? [];
    return this.credentials.whyAvoided(one);
  }

  /** Whether a call finds out if the upstream works again. */
  isProbe(upstream: Upstream): boolean {
    return this.#failingOf(upstream)?.circuit.stateAt(this.#clock.monotonic()) === "half_open";
  }

  /** When the upstream has fewer concurrent calls than its limit; 0: now. It is not known when others end. */
  #belowLimitFrom(upstream: Upstream): number {
    if (upstream.provider.adaptiveConcurrency === undefined) return 0;
    return this.#recordOf(upstream).concurrency.isReached ? this.#clock.monotonic() + 1 : 0;
  }

  #failingOf(upstream: Upstream): UpstreamRecord | undefined {
    return this.#failing.size === 0 ? undefined : this.#failing.get(keyOf(upstream));
  }

  /** When the first of the upstream's credentials is available; 0: now. */
  #firstAvailable(upstream: Upstream): number {
    const { pool } = upstream;
    if (pool === undefined) return this.credentials.availableFrom(upstream, 0);
    let first = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (const one of pool) {
      const from = this.credentials.availableFrom(one, 0, now);
      if (from === 0) return 0;
      first = Math.min(first, from);
    }
    return first;
  }

  /** The expected time of another call, milliseconds: see `peak-ewma.ts`. */
  loadOf(upstream: Upstream): number {
    return this.#recordOf(upstream).load.load(this.#clock.monotonic());
  }

  /** A call is sent: `succeeded` or `failed` follows, unless it has no result, and then `ended`. */
  began(upstream: Upstream): UpstreamCall {
    const record = this.#recordOf(upstream);
    record.load.began();
    record.concurrency.began();
    return { upstream, record, counted: record.circuit.began(this.#clock.monotonic()) };
  }

  /** The call's response has begun, or never will. */
  ended({ record, counted }: UpstreamCall): void {
    record.load.ended();
    record.concurrency.ended();
    record.circuit.ended(counted);
  }

  /** @param tookMs time to the response, or to its first bytes */
  succeeded({ upstream, record, counted }: UpstreamCall, tookMs: number): void {
    const now = this.#clock.monotonic();
    const { circuit, cooldown } = record;
    record.succeeded(tookMs, now);
    const { adaptiveConcurrency } = upstream.provider;
    if (adaptiveConcurrency !== undefined) record.concurrency.succeeded(adaptiveConcurrency);
    this.credentials.succeeded(upstream);
    const before = circuit.stateAt(now);
    circuit.succeeded(counted, now);
    if (!this.#failing.has(record.key)) return;
    cooldown.succeeded();
    const state = circuit.stateAt(now);
    if (state === "closed") this.#failing.delete(record.key);
    if (state !== before) this.#onCircuit?.(upstream, state);
  }

  failed({ upstream, record, counted }: UpstreamCall, failure: UpstreamFailure): void {
    const { kind, retryAfterMs } = failure;
    const { adaptiveConcurrency } = upstream.provider;
    if (adaptiveConcurrency !== undefined && overload.has(kind)) record.concurrency.overloaded(adaptiveConcurrency);
    const now = this.#clock.monotonic();
    if (kind === "client") record.refused(now);
    else if (!notItsOwn.has(kind)) record.failed(now);
    if (notItsOwn.has(kind) || this.credentials.failed(upstream, failure)) return;
    const { circuit, cooldown } = record;
    const before = circuit.stateAt(now);
    cooldown.failed(now, retryAfterMs);
    circuit.failed(counted, now);
    this.#failing.set(record.key, record);
    const state = circuit.stateAt(now);
    if (state !== before) this.#onCircuit?.(upstream, state);
  }

  /** Longest cooldown of each provider that was called, and of its models, in seconds; 0: none. */
  cooldowns(): Map<string, number> {
    const now = this.#clock.monotonic();
    return this.#byProvider(({ upstream }, known) => Math.max(known, (this.avoidedUntil(upstream) - now) / 1_000));
  }

  /** Models of each provider that was called whose circuit is not closed. */
  openCircuits(): Map<string, number> {
    const now = this.#clock.monotonic();
    return this.#byProvider(({ circuit }, known) => known + Number(circuit.stateAt(now) !== "closed"));
  }

  /** The lowest limit of concurrent calls among each provider's models that were called. */
  concurrencyLimits(): Map<string, number> {
    const limits = new Map<string, number>();
    for (const { upstream, concurrency } of this.#records.values()) {
      const { name, adaptiveConcurrency } = upstream.provider;
      if (adaptiveConcurrency === undefined || concurrency.limit === undefined) continue;
      limits.set(name, Math.min(limits.get(name) ?? never, concurrency.limit));
    }
    return limits;
  }

  #byProvider(add: (record: UpstreamRecord, known: number) => number): Map<string, number> {
    const found = new Map<string, number>();
    for (const record of this.#records.values()) {
      const { name } = record.upstream.provider;
      found.set(name, add(record, found.get(name) ?? 0));
    }
    return found;
  }

  /** The figures of every upstream that was called in the last hour, or is avoided. */
  seen(): UpstreamSeen[] {
    const now = this.#clock.monotonic();
    return [...this.#records.values()].flatMap((record): UpstreamSeen[] => {
      const { upstream, circuit } = record;
      const until = this.avoidedUntil(upstream);
      const cooldownForMs = until > now ? Math.round(until - now) : 0;
      const figures = record.figures(now);
      if (figures.calls === 0 && cooldownForMs === 0) return [];
      const { name: provider } = upstream.provider;
      const rejection = this.#rejectionOf(upstream);
      return [{ provider, model: upstream.model, cooldownForMs, circuit: circuit.stateAt(now), rejection, ...figures }];
    });
  }

  #recordOf(upstream: Upstream): UpstreamRecord {
    const key = keyOf(upstream);
    const known = this.#records.get(key);
    if (known !== undefined) {
      known.calledAs(upstream);
      return known;
    }
    // Models come from the catalogue, except for dated video models, so the oldest are evicted.
    const [oldest] = this.#records.keys();
    if (this.#records.size >= maxRecords && oldest !== undefined) {
      this.#records.delete(oldest);
      this.#failing.delete(oldest);
    }
    const record = new UpstreamRecord(upstream, key);
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
