import type { Upstream } from "@uag/catalog/types";
import type { UpstreamHealth } from "../health.ts";
import { type Choice, chooseCredential } from "./choose.ts";
import { randomAffinity } from "./rendezvous.ts";

/** What a request's choice of credentials depends on. */
export interface RequestCredentialsOptions {
  readonly health: Pick<UpstreamHealth, "credentials">;
  /** Equal for requests that should use the same credential, 32 bits; default: random. */
  readonly affinity?: number | undefined;
  /** Tokens that a call may use, at most; default: 0. */
  readonly tokens?: number | undefined;
  random?(): number;
}

/** The credentials of one request's calls. */
export class RequestCredentials implements Choice {
  readonly #health: RequestCredentialsOptions["health"]["credentials"];
  readonly affinity: number;
  readonly tokens: number;
  #tried: Set<Upstream> | undefined;

  constructor({ health, random, affinity = randomAffinity(random), tokens = 0 }: RequestCredentialsOptions) {
    this.#health = health.credentials;
    this.affinity = affinity;
    this.tokens = tokens;
  }

  /** The upstream with the credential to call first. */
  first(upstream: Upstream): Upstream {
    const { pool } = upstream;
    return pool === undefined ? upstream : (chooseCredential(pool, this.#health, this) ?? upstream);
  }

  /**
   * The upstream with another credential, after a failure of the one it has; undefined if no other
   * is available.
   */
  another(upstream: Upstream): Upstream | undefined {
    if (upstream.pool === undefined) return undefined;
    this.#tried = (this.#tried ?? new Set()).add(upstream);
    const next = chooseCredential(upstream.pool, this.#health, this, this.#tried);
    return next !== undefined && this.#health.availableFrom(next, this.tokens) === 0 ? next : undefined;
  }

  began(upstream: Upstream): void {
    this.#health.began(upstream, this.tokens);
  }

  ended(upstream: Upstream): void {
    this.#health.ended(upstream, this.tokens);
  }
}
