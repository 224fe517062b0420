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
  let best: T | undefined;
  let preferred: T | undefined;
  let [bestFrom, bestRank, bestScore, firstRank, firstScore] = [0, 0, 0, 0, 0];
  let [count, isTied] = [0, false];
  for (const one of candidates) {
    if (passed?.has(one)) continue;
    const from = ranking.availableFrom(one);
    const rank = ranking.rankOf(one);
    const score = ranking.scoreOf(one);
    if (count === 0 || rank < firstRank) isTied = false;
    else if (rank === firstRank) isTied = true;
    if (count === 0 || (rank - firstRank || score - firstScore) < 0) {
      preferred = one;
      [firstRank, firstScore] = [rank, score];
    }
    if (count === 0 || (from - bestFrom || rank - bestRank || score - bestScore) < 0) {
      best = one;
      [bestFrom, bestRank, bestScore] = [from, rank, score];
    }
    count++;
  }
  if (best === undefined || preferred === undefined || bestFrom === never) return undefined;
  if (bestFrom > 0) return { one: best, reason: "last_resort" };
  if (preferred !== best) return { one: best, reason: ranking.whyAvoided(preferred) };
  if (ranking.isProbe(best)) return { one: best, reason: "probe" };
  if (count === 1) return { one: best, reason: undefined };
  return { one: best, reason: isTied ? ranking.byScore : ranking.byRank };
}
