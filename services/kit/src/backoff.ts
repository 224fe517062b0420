/** The bounds of an exponential backoff. */
export interface BackoffLimits {
  /** Before the second try, milliseconds. */
  readonly firstMs: number;
  /** The longest, milliseconds. */
  readonly maxMs: number;
}

/**
 * Exponential backoff: how long to wait after so many failures in a row, milliseconds, without
 * jitter.
 * @param failures before this wait, 0 for the first
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits): number {
  return Math.min(maxMs, firstMs * 2 ** failures);
}

/** Between half and all of a wait, so that those who failed together do not come again together. */
export function halfJitter(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2);
}

/** Between nothing and all of a wait: for contenders that are many and whose work is short. */
export function fullJitter(ms: number, random: () => number = Math.random): number {
  return ms * random();
}
