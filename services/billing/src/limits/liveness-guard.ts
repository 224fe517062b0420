const beatMs = 500;
const maxSilenceMs = 1_500;

/**
 * Reports whether this process could receive renewals without interruption lately: only then does a
 * silent holder count as dead.
 */
export interface LivenessGuard extends Disposable {
  readonly steady: boolean;
  /** Reports that the database did not respond. */
  disturbed(): void;
}

/** @param forMs how long everything must have been healthy */
export function createLivenessGuard(forMs: number): LivenessGuard {
  let since = performance.now();
  let lastBeat = since;
  const beat = (): void => {
    const now = performance.now();
    // A process that was paused, or too busy to run its event loop, received nothing either.
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
