import { setTimeout as sleep } from "node:timers/promises";

export interface LivenessOptions {
  /** Asks once whether the process answers at all. */
  readonly isAlive: () => Promise<boolean>;
  readonly everyMs?: number;
  /** So many looks in vain, one after the other, and the process counts as stuck. */
  readonly misses?: number;
}

const defaultEveryMs = 5_000;
const defaultMisses = 3;
/**
 * How often a process that has not answered yet is asked: one that gets stuck right after its start
 * is noticed too.
 */
const startingMs = 250;

/**
 * Resolves to true when a process that answered once has stopped answering, and to false at
 * `signal`. Misses are counted, not time: a machine so busy that this process itself came late says
 * nothing about the other.
 * @param wasReady whether somebody else has seen it answer
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
