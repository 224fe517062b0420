import type { RoutingReason } from "./routing-reason.ts";

/** Of a candidate that must not be called, not even as a last resort. */
export const never = Number.POSITIVE_INFINITY;

/** By what one of several candidates is chosen, in this order. */
export interface Ranking<T> {
  /** When it may be called, in milliseconds of the monotonic clock; 0: now; `never`: not at all. */
  availableFrom(one: T): number;
  /** The lowest first. */
  rankOf(one: T): number;
  /** Of equal ranks, the lowest first. */
  scoreOf(one: T): number;
}

/** How a ranking's results are explained. */
export interface Explained<T> {
  /** What its ranks are. */
  readonly byRank: RoutingReason;
  /** What its scores are. */
  readonly byScore: RoutingReason;
  /** Why a candidate that is not available is avoided. */
  whyAvoided(one: T): RoutingReason;
  /** Whether a call to it finds out whether it works again. */
  isProbe(one: T): boolean;
}

export interface Chosen<T> {
  readonly one: T;
  readonly reason: RoutingReason | undefined;
}

/**
 * The candidate that should be called, and why: of those that are available the first by rank and
 * score; if none is, the one that will be first.
 * @param passed candidates that are left out
 * @returns undefined without candidates that may be called
 */
export function choose<T>(
  candidates: readonly T[],
  ranking: Ranking<T> & Explained<T>,
  passed?: ReadonlySet<T>,
): Chosen<T> | undefined {
  let preferred: T | undefined;
  let [firstRank, firstScore, count, isTied] = [0, 0, 0, false];
  for (const one of candidates) {
    if (passed?.has(one) === true) continue;
    count++;
    const rank = ranking.rankOf(one);
    if (preferred !== undefined && rank > firstRank) continue;
    const score = ranking.scoreOf(one);
    isTied = preferred !== undefined && rank === firstRank;
    if (isTied && score >= firstScore) continue;
    preferred = one;
    [firstRank, firstScore] = [rank, score];
  }
  if (preferred === undefined) return undefined;
  if (ranking.availableFrom(preferred) > 0) return instead(preferred, candidates, ranking, passed);
  if (ranking.isProbe(preferred)) return { one: preferred, reason: "probe" };
  if (count === 1) return { one: preferred, reason: undefined };
  return { one: preferred, reason: isTied ? ranking.byScore : ranking.byRank };
}

/** The choice when the preferred candidate is not available; most requests never get here. */
function instead<T>(
  preferred: T,
  candidates: readonly T[],
  ranking: Ranking<T> & Explained<T>,
  passed: ReadonlySet<T> | undefined,
): Chosen<T> | undefined {
  let best = preferred;
  let [bestFrom, bestRank, bestScore] = [never, 0, 0];
  for (const one of candidates) {
    if (passed?.has(one) === true) continue;
    const from = ranking.availableFrom(one);
    if (from > bestFrom || from === never) continue;
    const [rank, score] = [ranking.rankOf(one), ranking.scoreOf(one)];
    if (from === bestFrom && (rank - bestRank || score - bestScore) >= 0) continue;
    best = one;
    [bestFrom, bestRank, bestScore] = [from, rank, score];
  }
  if (bestFrom === never) return undefined;
  if (bestFrom > 0) return { one: best, reason: "last_resort" };
  if (best !== preferred) return { one: best, reason: ranking.whyAvoided(preferred) };
  return { one: best, reason: ranking.isProbe(best) ? "probe" : ranking.byRank };
}
