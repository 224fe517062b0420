import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Default 60,000: where the thing happens, patience costs nothing. */
  timeoutMs?: number;
  /**
   * Most looks, however long they take: for what has to happen soon, on a machine that may be slow
   * or stand still for a while. Clocks go on then, and looks do not.
   */
  maxLooks?: number;
  /** Default 20. */
  everyMs?: number;
  /** What is waited for, for the error message on timeout. */
  what?: string;
}

/** Polls until the result is neither false nor undefined, and returns it; rejects on timeout. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const {
    timeoutMs = 60_000,
    maxLooks = Number.POSITIVE_INFINITY,
    everyMs = 20,
    what = condition.toString(),
  } = options;
  const deadline = performance.now() + timeoutMs;
  for (let looks = 1; ; looks++) {
    const response = await condition();
    if (response !== false && response !== undefined) return response as Exclude<T, false | undefined>;
    if (looks >= maxLooks) throw new Error(`looked ${looks} times in vain for: ${what}`);
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(everyMs);
  }
}
