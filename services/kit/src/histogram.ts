/**
 * Upper ends of the bins, milliseconds; what is longer than the last has a bin of its own. Roll-ups
 * of usage keep the numbers of bins for ever, so a bin never changes its meaning: others would need
 * other fields.
 */
const ends = [
  10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_200, 1_600, 2_400, 3_200, 4_800, 6_400, 9_600, 15_000, 30_000,
  60_000, 120_000, 300_000, 900_000,
] as const;

/** How many bins there are. */
export const binCount = ends.length + 1;

/** The bin of a time, milliseconds. */
export function binOf(ms: number): number {
  const bin = ends.findIndex((end) => ms <= end);
  return bin === -1 ? ends.length : bin;
}

/** Percentiles that are estimated from a histogram, milliseconds. */
export interface Percentiles {
  /** How many times there are. */
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Where the share `rank` (0 to 1) of the times lies, as if those of a bin lay evenly in it. */
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

/** @param bins how many times there are in each; undefined when there are none at all */
export function percentilesOf(bins: readonly number[]): Percentiles | undefined {
  const count = bins.reduce((sum, times) => sum + times, 0);
  if (count === 0) return undefined;
  const at = (rank: number): number => percentile(bins, count, rank);
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
