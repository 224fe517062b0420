import assert from "node:assert/strict";

/** About 700 kB, of what services parse most. */
const sample = JSON.stringify(
  Array.from({ length: 10_000 }, (_, index) => ({ index, token: "ab", bytes: [97, 98], logprob: -index / 7 })),
);

/** As infra/decisions/0009 allows, with room for a busy machine. */
const maxTurnMs = 50;
const maxRuns = 3;
/** What {@link sampleMs} takes on the machine that {@link maxTurnMs} is for. */
const usualSampleMs = 25;

/**
 * Asserts that no turn of the event loop is longer than 50 ms of processor time while work runs,
 * because everything else in the process waits for it. A slower machine gets as much more as a
 * sample of work takes there. Other load on the processor can only lengthen a turn, so work with too
 * long a turn is run again, up to three times in all.
 */
export async function assertShortTurns(work: () => Promise<unknown>): Promise<void> {
  const turns: string[] = [];
  for (let run = 0; run < maxRuns; run++) {
    const allowedMs = maxTurnMs * Math.max(1, sampleMs() / usualSampleMs);
    const turnMs = await longestTurn(work);
    if (turnMs <= allowedMs) return;
    turns.push(`${turnMs.toFixed(1)} ms of ${allowedMs.toFixed(1)} ms`);
  }
  assert.fail(`each run had too long a turn: ${turns.join(", ")}`);
}

/** Processor time of parsing and writing a document, milliseconds. */
function sampleMs(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < 4; round++) JSON.stringify(JSON.parse(sample));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
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
