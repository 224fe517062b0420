/** An abstraction of time, so that tests can stop it or make it jump. */
export interface Clock {
  /** Unix milliseconds. May jump. */
  now(): number;
  /**
   * Milliseconds since some fixed point. Never goes back; runs while the process is paused, but not
   * while the machine is suspended.
   */
  monotonic(): number;
}

/** A moment on both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** More than two synchronized clocks drift apart in a minute. */
const maxDriftMs = 250;

/** The current moment on both clocks. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * Milliseconds since a moment; infinite when the two clocks differ by more than 250 ms. Then either
 * the machine was suspended, which stops the monotonic clock, or the wall clock was set: it is
 * impossible to tell which one is right, so neither can be trusted.
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

/**
 * How far a process's clock may differ from the database's, milliseconds. Beyond it the process is
 * not ready and admits nothing: see `infra/decisions/0016-clocks.md`.
 */
export const maxSkewMs = 5_000;
