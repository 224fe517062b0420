/** Time as the code sees it, so that tests can hold it still or make it jump. */
export interface Clock {
  /** Unix milliseconds. May jump. */
  now(): number;
  /**
   * Milliseconds since some fixed point. Never goes back; counts while the process is paused, not
   * while the machine is suspended.
   */
  monotonic(): number;
}

/** A moment by both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** More than clocks that are kept in step part by in a minute. */
const maxDriftMs = 250;

/** The present moment by both clocks. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * Milliseconds since a moment; infinite when the two clocks do not agree within 250 ms. Then the
 * machine was suspended, in which the monotonic clock stands still, or the wall clock was set:
 * which of them is right cannot be told, so nobody may rely on either.
 */
export function msSince(clock: Clock, { monotonic, wall }: Moment): number {
  const elapsed = clock.monotonic() - monotonic;
  return Math.abs(clock.now() - wall - elapsed) > maxDriftMs ? Number.POSITIVE_INFINITY : elapsed;
}

/** The machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
