/**
 * Upper bounds of the bins, milliseconds; longer times go into a last bin of their own. Usage
 * roll-ups store bin numbers permanently, so a bin's meaning must never change: other bins would
 * need other fields.
 */
const ends = [
  10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_200, 1_600, 2_400, 3_200, 4_800, 6_400, 9_600, 15_000, 30_000,
  60_000, 120_000, 300_000, 900_000,
] as const;

/** Number of bins. */
export const binCount = ends.length + 1;

/** The bin of a duration, milliseconds. */
export function binOf(ms: number): number {
  const bin = ends.findIndex((end) => ms <= end);
  return bin === -1 ? ends.length : bin;
}

/** Percentiles estimated from a histogram, milliseconds. */
export interface Percentiles {
  /** Number of durations. */
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * The duration at quantile `rank` (0 to 1), assuming that durations within a bin are evenly
 * distributed.
 */
function percentile(bins: readonly number[], count: number, rank: number): number {
  let left = rank * count;
  for (const [bin, times] of bins.entries()) {
    if (times > 0 && left <= times) {
      const start = ends[bin - 1] ?? 0;
      return Math.round(start + ((ends[bin] ?? start) - start) * (left / times));
    }
    left -= times;
  }
  return ends.at(-1) ?? 0;
}

/** @param bins number of durations in each bin; the result is undefined when all are 0 */
export function percentilesOf(bins: readonly number[]): Percentiles | undefined {
  const count = bins.reduce((sum, times) => sum + times, 0);
  if (count === 0) return undefined;
  const at = (rank: number): number => percentile(bins, count, rank);
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
