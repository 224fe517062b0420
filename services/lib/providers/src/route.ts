import type { RoutingStrategy, Upstream } from "@uag/catalog/types";
import { type Chosen, choose, type Explained, never, type Ranking } from "./choose.ts";
import type { CallSpend } from "./credentials/call-spend.ts";
import { randomAffinity, scoreOf } from "./credentials/rendezvous.ts";
import { RequestCredentials } from "./credentials/request-credentials.ts";
import type { UpstreamHealth } from "./health.ts";
import { noChoice, type RoutingReason, type RoutingReasons } from "./routing-reason.ts";

/** What a request's choice of upstreams and credentials depends on. */
export interface RoutingOptions {
  /** Default: `priority`. */
  readonly strategy?: RoutingStrategy | undefined;
  /** Equal for requests that should use the same upstream and credential, 32 bits; default: random. */
  readonly affinity?: number | undefined;
  /** Tokens that a call may use, at most; default: 0. */
  readonly tokens?: number | undefined;
  /** Absent if no credential of the model has a spend cap. */
  readonly spend?: CallSpend | undefined;
  /** Why these upstreams are called, if not for a choice among them, such as `fallback`. */
  readonly because?: RoutingReason | undefined;
  random?(): number;
}

/** What the choice needs of the upstreams' health. */
export type KnownHealth = Pick<UpstreamHealth, "avoidedUntil" | "whyAvoided" | "isProbe" | "loadOf" | "credentials">;

/** What the ranks of each strategy are; all of `weighted` are equal. */
const rankReasons = {
  priority: "priority",
  weighted: "weight",
  least_latency: "latency",
  least_cost: "cost",
} as const satisfies Record<RoutingStrategy, RoutingReason>;

/** A call to make. */
export interface RoutedCall {
  /** With its credential. */
  readonly upstream: Upstream;
  readonly reasons: RoutingReasons;
}

/**
 * Where the calls of one request go: each upstream once, in the order of the model's strategy, where
 * that leaves a choice by weighted rendezvous hashing, and those that are avoided last. The choice is
 * made call by call, since what happened meanwhile counts.
 */
export class Route implements Ranking<Upstream>, Explained<Upstream> {
  readonly byRank: RoutingReason;
  readonly byScore: RoutingReason;
  readonly credentials: RequestCredentials;
  readonly #health: KnownHealth;
  readonly #strategy: RoutingStrategy;
  readonly #affinity: number;
  /** Why the next upstream is called, if not for a choice among them. */
  #because: RoutingReason | undefined;
  #left: readonly Upstream[];
  /** Set when another credential of the same upstream is to be called. */
  #other: RoutedCall | undefined;
  #again: Upstream[] = [];

  constructor(upstreams: readonly Upstream[], health: KnownHealth, options: RoutingOptions) {
    const { strategy = "priority", random, affinity = randomAffinity(random), tokens = 0, because } = options;
    const isConversation = options.affinity !== undefined;
    const { spend } = options;
    this.#left = upstreams;
    this.#health = health;
    this.#strategy = strategy;
    this.#affinity = affinity;
    this.#because = because;
    this.byRank = rankReasons[strategy];
    this.byScore = isConversation ? "affinity" : "weight";
    this.credentials = new RequestCredentials(health.credentials, { affinity, isConversation, tokens, spend });
  }

  /** The next call; undefined when all upstreams of this round were called. */
  next(): RoutedCall | undefined {
    const other = this.#other;
    this.#other = undefined;
    if (other !== undefined) return other;
    const chosen = this.#choose();
    if (chosen === undefined) return undefined;
    this.#left = this.#left.length === 1 ? [] : this.#left.filter((each) => each !== chosen.one);
    const because = this.#because ?? chosen.reason;
    if (this.#because === "retry")
      return { upstream: chosen.one, reasons: { upstream: because, credential: undefined } };
    this.#because = "failover";
    const { one: upstream, reason: credential } = this.credentials.first(chosen.one);
    const isPlain = because === undefined && credential === undefined;
    return { upstream, reasons: isPlain ? noChoice : { upstream: because, credential } };
  }

  #choose(): Chosen<Upstream> | undefined {
    const [first] = this.#left;
    if (this.#left.length > 1) return choose(this.#left, this);
    return first && !this.credentials.isOver(first) ? { one: first, reason: undefined } : undefined;
  }

  /**
   * After a failure that is the credential's: another one of the upstream is called next.
   * @returns false if no other is available
   */
  callAnother({ upstream, reasons }: RoutedCall): boolean {
    const other = this.credentials.another(upstream);
    this.#other = other && { upstream: other, reasons: { ...reasons, credential: "failover" } };
    return other !== undefined;
  }

  /** The upstream is called once more in the next round. */
  callAgain(upstream: Upstream): void {
    this.#again.push(upstream);
  }

  /** Begins the next round. @returns false if no upstream is called again */
  retry(): boolean {
    [this.#left, this.#again, this.#because] = [this.#again, [], "retry"];
    return this.#left.length > 0;
  }

  availableFrom(upstream: Upstream): number {
    return this.credentials.isOver(upstream) ? never : this.#health.avoidedUntil(upstream);
  }

  rankOf(upstream: Upstream): number {
    switch (this.#strategy) {
      case "priority":
        return upstream.priority;
      case "weighted":
        return 0;
      case "least_latency":
        return this.#health.loadOf(upstream);
      case "least_cost":
        return upstream.cost?.level ?? 0;
    }
  }

  scoreOf({ provider, weight }: Upstream): number {
    return scoreOf(this.#affinity, provider.seed) / weight;
  }

  whyAvoided(upstream: Upstream): RoutingReason {
    return this.credentials.isOver(upstream) ? "spend_cap" : this.#health.whyAvoided(upstream);
  }

  isProbe(upstream: Upstream): boolean {
    return this.#health.isProbe(upstream);
  }
}
