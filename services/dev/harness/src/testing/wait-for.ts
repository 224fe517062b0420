import { setTimeout as sleep } from "node:timers/promises";

const defaultEveryMs = 20;

/** How long and how often {@link waitFor} polls. */
export interface WaitOptions {
  /** Default 90,000: a long limit costs nothing where the condition comes true. */
  timeoutMs?: number;
  /**
   * Most polls, however long they take: for what has to happen soon, on a machine that may be slow
   * or stand still for a while. Clocks go on then, and polls do not.
   */
  maxPolls?: number;
  /** Default 20. */
  everyMs?: number;
  /** The condition in words, for the error; default its source. */
  what?: string;
}

/** As many polls as a machine without other work makes in that time. */
export function pollsWithin(seconds: number): number {
  return Math.ceil((seconds * 1_000) / defaultEveryMs);
}

/**
 * Polls until the result is neither false nor undefined, and returns it.
 * @throws {Error} when that takes too long
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const {
    timeoutMs = 90_000,
    maxPolls = Number.POSITIVE_INFINITY,
    everyMs = defaultEveryMs,
    what = condition.toString(),
  } = options;
  const deadline = performance.now() + timeoutMs;
  for (let polls = 1; ; polls++) {
    const result = await condition();
    if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>;
    if (polls >= maxPolls) throw new Error(`polled ${polls} times in vain for: ${what}`);
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(everyMs);
  }
}
