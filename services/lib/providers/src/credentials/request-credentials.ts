import type { Upstream } from "@uag/catalog/types";
import { type Chosen, choose, type Explained, never, type Ranking } from "../choose.ts";
import type { RoutingReason } from "../routing-reason.ts";
import type { CallSpend } from "./call-spend.ts";
import type { CredentialHealth } from "./credential-health.ts";
import { evenScoreOf, scoreOf } from "./rendezvous.ts";

/** By what a request's credential is chosen. */
export interface CredentialChoice {
  /** 32 bits: equal for the requests of one conversation, random for others. */
  readonly affinity: number;
  /** Whether the affinity is a conversation's; else it is random. */
  readonly isConversation: boolean;
  /** Tokens that the call may use. */
  readonly tokens: number;
  /** Undefined if no credential of the model has a spend cap. */
  readonly spend?: CallSpend | undefined;
}

/**
 * The credentials of one request's calls: of those that are available, those of the lowest priority
 * number; of equal ones by weighted rendezvous hashing. So requests of one conversation use one
 * credential in every process, for as long as it is available, and only its share of conversations
 * moves when a credential comes or goes.
 */
export class RequestCredentials implements Ranking<Upstream>, Explained<Upstream> {
  readonly byRank = "priority";
  readonly byScore: RoutingReason;
  readonly #health: CredentialHealth;
  readonly #affinity: number;
  readonly #tokens: number;
  readonly #spend: CallSpend | undefined;
  #now = 0;
  #tried: Set<Upstream> | undefined;

  constructor(health: CredentialHealth, { affinity, isConversation, tokens, spend }: CredentialChoice) {
    this.#health = health;
    this.#affinity = affinity;
    this.#tokens = tokens;
    this.#spend = spend;
    this.byScore = isConversation ? "affinity" : "weight";
  }

  /** The upstream with the credential to call first. */
  first(upstream: Upstream): Chosen<Upstream> {
    const only = { one: upstream, reason: undefined };
    if (upstream.pool === undefined) return only;
    this.#now = this.#health.now();
    return choose(upstream.pool, this) ?? only;
  }

  /**
   * The upstream with another credential, after a failure of the one it has; undefined if no other
   * is available.
   */
  another(upstream: Upstream): Upstream | undefined {
    if (upstream.pool === undefined) return undefined;
    this.#tried = (this.#tried ?? new Set()).add(upstream);
    this.#now = this.#health.now();
    const next = choose(upstream.pool, this, this.#tried)?.one;
    return next !== undefined && this.availableFrom(next) === 0 ? next : undefined;
  }

  /** Whether none of the upstream's credentials may be called, by their spend caps. */
  isOver(upstream: Upstream): boolean {
    const spend = this.#spend;
    if (spend === undefined) return false;
    return upstream.pool?.every((one) => spend.isOver(one)) ?? spend.isOver(upstream);
  }

  began(upstream: Upstream): void {
    this.#spend?.began(upstream);
    this.#health.began(upstream, this.#tokens);
  }

  ended(upstream: Upstream): void {
    this.#health.ended(upstream, this.#tokens);
  }

  availableFrom(upstream: Upstream): number {
    if (this.#spend?.isOver(upstream) === true) return never;
    return this.#health.availableFrom(upstream, this.#tokens, this.#now);
  }

  rankOf({ provider }: Upstream): number {
    return provider.credential.priority;
  }

  scoreOf({ isEven, provider: { credential } }: Upstream): number {
    if (isEven === true) return evenScoreOf(this.#affinity, credential.seed);
    return scoreOf(this.#affinity, credential.seed) / credential.weight;
  }

  whyAvoided(upstream: Upstream): RoutingReason {
    return this.#spend?.isOver(upstream) === true ? "spend_cap" : this.#health.whyAvoided(upstream);
  }

  isProbe(upstream: Upstream): boolean {
    return this.#health.isProbe(upstream);
  }
}
