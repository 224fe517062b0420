import assert from "node:assert/strict";

/** As infra/decisions/0009 allows, with room for a busy machine. */
const maxTurnMs = 50;
const maxRuns = 3;

/**
 * Asserts that no turn of the event loop is longer than 50 ms of processor time while work runs,
 * because everything else in the process waits for it. Other load on the processor can only
 * lengthen a turn, so work with too long a turn is run again, up to three times in all.
 */
export async function assertShortTurns(work: () => Promise<unknown>): Promise<void> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < maxRuns && shortestMs > maxTurnMs; run++)
    shortestMs = Math.min(shortestMs, await longestTurn(work));
  assert.ok(shortestMs <= maxTurnMs, `the longest turn took ${shortestMs} ms or more in each of ${maxRuns} runs`);
}

/** The longest turn of the event loop during some work, in processor time, milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let last = process.threadCpuUsage();
  let maxUs = 0;
  const look = (): void => {
    const now = process.threadCpuUsage();
    maxUs = Math.max(maxUs, now.user + now.system - last.user - last.system);
    last = now;
  };
  const timer = setInterval(look, 2);
  await work();
  look();
  clearInterval(timer);
  return maxUs / 1_000;
}
