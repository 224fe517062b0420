import type { RoutingStrategy, Upstream } from "@uag/catalog/types";
import { randomAffinity, scoreOf } from "./credentials/rendezvous.ts";
import type { UpstreamHealth } from "./health.ts";

/** How upstreams are ordered. */
export interface OrderOptions {
  /** Default: `priority`. */
  readonly strategy?: RoutingStrategy | undefined;
  /** Equal for requests that should go to the same upstream, 32 bits; default: random. */
  readonly affinity?: number;
}

/**
 * The order in which to try upstreams: by the model's strategy, and where that leaves a choice by
 * weighted rendezvous hashing; those cooling down come last, shortest cooldown first.
 */
export function orderUpstreams(
  upstreams: readonly Upstream[],
  health: Pick<UpstreamHealth, "cooldownUntil" | "loadOf">,
  { strategy = "priority", affinity = randomAffinity() }: OrderOptions = {},
): Upstream[] {
  if (upstreams.length === 1) return [upstreams[0] as Upstream];
  const ranked = upstreams.map((upstream) => ({
    upstream,
    until: health.cooldownUntil(upstream),
    rank: rankOf(strategy, upstream, health),
    score: scoreOf(affinity, upstream.provider.seed) / upstream.weight,
  }));
  ranked.sort((a, b) => a.until - b.until || a.rank - b.rank || a.score - b.score);
  return ranked.map(({ upstream }) => upstream);
}

function rankOf(strategy: RoutingStrategy, upstream: Upstream, health: Pick<UpstreamHealth, "loadOf">): number {
  if (strategy === "weighted") return 0;
  return strategy === "priority" ? upstream.priority : health.loadOf(upstream);
}
