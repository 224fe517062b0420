import { setTimeout as sleep } from "node:timers/promises";

/** Costs nothing where the thing happens; a machine that stands still is no failure. */
const patienceMs = 90_000;
const everyMs = 10;

/**
 * Waits until a condition holds.
 * @param what the condition in words, for the error
 * @throws {Error} when it does not hold within 90 s
 */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for: ${what}`);
    await sleep(everyMs);
  }
}
