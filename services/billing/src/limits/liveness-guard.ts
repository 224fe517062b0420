const beatMs = 500;
const maxSilenceMs = 1_500;

/**
 * Whether this process could hear holders all the time of late: only then a silent holder is a dead
 * one.
 */
export interface LivenessGuard extends Disposable {
  readonly steady: boolean;
  /** The database did not answer. */
  disturbed(): void;
}

/** @param forMs how long everything must have been well */
export function createLivenessGuard(forMs: number): LivenessGuard {
  let since = performance.now();
  let lastBeat = since;
  const beat = (): void => {
    const now = performance.now();
    // A process that was paused, or too busy to turn its loop, heard nobody either.
    if (now - lastBeat > maxSilenceMs) since = now;
    lastBeat = now;
  };
  const timer = setInterval(beat, beatMs).unref();
  return {
    get steady() {
      beat();
      return performance.now() - since > forMs;
    },
    disturbed: () => {
      since = performance.now();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
