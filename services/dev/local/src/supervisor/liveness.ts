import { setTimeout as sleep } from "node:timers/promises";

export interface LivenessOptions {
  /** Checks once whether the process responds at all. */
  readonly isAlive: () => Promise<boolean>;
  readonly everyMs?: number;
  /** Consecutive failed checks after which the process counts as stuck. */
  readonly misses?: number;
}

const defaultEveryMs = 5_000;
const defaultMisses = 3;
/**
 * The interval for a process that has not responded yet, so that a process that gets stuck right
 * after its start is noticed too.
 */
const startingMs = 250;

/**
 * Resolves to true when a process that once responded has stopped responding, and to false at
 * `signal`. It counts misses rather than time, because on a busy machine this process itself may be
 * late.
 * @param wasReady whether it has already responded to another check
 */
export async function hasStuck(
  options: LivenessOptions,
  wasReady: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { isAlive, everyMs = defaultEveryMs, misses = defaultMisses } = options;
  let answered = false;
  let missed = 0;
  while (!signal.aborted) {
    if (await isAlive()) {
      answered = true;
      missed = 0;
    } else {
      answered ||= wasReady();
      if (answered && ++missed >= misses) return !signal.aborted;
    }
    const restMs = answered ? everyMs : Math.min(everyMs, startingMs);
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return false;
}
