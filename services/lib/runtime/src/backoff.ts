/** The bounds of an exponential backoff. */
export interface BackoffLimits {
  /** Wait before the second attempt, milliseconds. */
  readonly firstMs: number;
  /** The longest wait, milliseconds. */
  readonly maxMs: number;
}

/**
 * Exponential backoff: how long to wait after this many consecutive failures, milliseconds, without
 * jitter.
 * @param failures before this wait, 0 for the first
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits): number {
  return Math.min(maxMs, firstMs * 2 ** failures);
}

/** Between half and all of a wait, so that callers that failed together do not retry together. */
export function halfJitter(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2);
}

/** Between nothing and all of a wait: for many contenders with short work. */
export function fullJitter(ms: number, random: () => number = Math.random): number {
  return ms * random();
}
