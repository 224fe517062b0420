import type { Upstream } from "@uag/catalog/types";
import type { CredentialHealth } from "./credential-health.ts";
import { scoreOf } from "./rendezvous.ts";

/** By what a request's credential is chosen. */
export interface Choice {
  /** 32 bits: equal for the requests of one conversation, random for others. */
  readonly affinity: number;
  /** Tokens that the call may use. */
  readonly tokens: number;
}

/**
 * The upstream with the credential that should be called: the one that is available, of those the
 * one of the lowest priority number, of equal ones by weighted rendezvous hashing. So requests of
 * one conversation use one credential in every process, for as long as it is available, and only
 * its share of conversations moves when a credential comes or goes. If none is available, it is the
 * one that will be first.
 * @param tried credentials that were called for the request
 * @returns undefined when all were tried
 */
export function chooseCredential(
  pool: readonly Upstream[],
  health: CredentialHealth,
  { affinity, tokens }: Choice,
  tried?: ReadonlySet<Upstream>,
): Upstream | undefined {
  let best: Upstream | undefined;
  let [bestFrom, bestPriority, bestScore] = [0, 0, 0];
  for (const one of pool) {
    if (tried?.has(one)) continue;
    const { weight, priority, seed } = one.provider.credential;
    const from = health.availableFrom(one, tokens);
    const score = scoreOf(affinity, seed) / weight;
    const order = from - bestFrom || priority - bestPriority || score - bestScore;
    if (best !== undefined && order >= 0) continue;
    best = one;
    [bestFrom, bestPriority, bestScore] = [from, priority, score];
  }
  return best;
}
