import { setTimeout as sleep } from "node:timers/promises";

const defaultEveryMs = 20;

/** How long and how often {@link waitFor} polls. */
export interface WaitOptions {
  /** Default 90,000: a long limit costs nothing if the condition becomes true. */
  timeoutMs?: number;
  /**
   * Maximum number of polls, however long they take: for conditions that must become true soon, on
   * a machine that may be slow or suspended for a while.
   */
  maxPolls?: number;
  /** Default 20. */
  everyMs?: number;
  /** The condition in words, for the error; default its source. */
  what?: string;
}

/** The number of polls that an idle machine makes in that time. */
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
    if (polls >= maxPolls) throw new Error(`gave up after ${polls} polls waiting for: ${what}`);
    if (performance.now() > deadline) throw new Error(`gave up after ${timeoutMs} ms waiting for: ${what}`);
    await sleep(everyMs);
  }
}
