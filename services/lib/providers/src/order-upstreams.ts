import type { Upstream } from "@uag/catalog/types";

/**
 * The order in which to try upstreams: by priority number, lowest first, then by weighted chance;
 * those cooling down come last, shortest cooldown first.
 * @param random a number in [0, 1)
 */
export function orderUpstreams(
  upstreams: readonly Upstream[],
  cooldownUntil: (upstream: Upstream) => number,
  random: () => number = Math.random,
): Upstream[] {
  if (upstreams.length === 1) return [upstreams[0] as Upstream];
  const ranked = upstreams.map((upstream) => ({
    upstream,
    until: cooldownUntil(upstream),
    // Sorting by u^(1/w) draws without replacement in proportion to the weights (Efraimidis and
    // Spirakis, 2006).
    draw: random() ** (1 / upstream.weight),
  }));
  ranked.sort((a, b) => a.until - b.until || a.upstream.priority - b.upstream.priority || b.draw - a.draw);
  return ranked.map(({ upstream }) => upstream);
}
