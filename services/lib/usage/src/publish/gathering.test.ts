import assert from "node:assert/strict";
import { test } from "node:test";
import { nextGathering } from "./gathering.ts";

/** The period that a steady load settles at: `perSecond` events over so many partitions. */
function settledAt(perSecond: number, partitions: number, from = 250): number {
  let ms = from;
  for (let n = 0; n < 20; n++) {
    const events = (perSecond * ms) / 1_000;
    ms = nextGathering(250, ms, { events, batches: Math.max(Math.min(partitions, events), events / 256) });
  }
  return ms;
}

test("gathers finals of many busy accounts for up to two seconds, which makes fewer and larger messages", () => {
  assert.equal(settledAt(2_000, 64), 2_000);
  assert.equal(settledAt(8_000, 64), 1_000);
});

test("publishes usage of few requests or few accounts at once, also after a busy period", () => {
  assert.equal(settledAt(200, 64, 2_000), 250);
  assert.equal(settledAt(2_000, 1, 2_000), 250);
  assert.equal(settledAt(0, 64, 2_000), 250);
});
