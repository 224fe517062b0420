/** Time as the code sees it, so that tests can hold it still or make it jump. */
export interface Clock {
  /** Unix milliseconds. May jump. */
  now(): number;
  /** Milliseconds since some fixed point. Never goes back; keeps counting while the process is paused. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
