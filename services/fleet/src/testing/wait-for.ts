import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Default 10,000. */
  timeoutMs?: number;
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
  const { timeoutMs = 10_000, everyMs = 20, what = condition.toString() } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const response = await condition();
    if (response !== false && response !== undefined) return response as Exclude<T, false | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(everyMs);
  }
}
