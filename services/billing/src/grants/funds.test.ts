import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createFunds } from "./funds.ts";

test("reads the accounts at most once in 40 ms, however many requests wait for money", async () => {
  let reads = 0;
  const accounts = {
    find: (filter: { _id: { $in: string[] } }) => ({
      lean: async () => {
        reads++;
        return filter._id.$in.map((_id) => ({ _id, available: 0n }));
      },
    }),
  };
  const funds = createFunds({ accounts } as never);
  const began = performance.now();
  const until = began + 400;
  const waits = Array.from({ length: 25 }, async (_, n) => {
    // Each waits again as soon as it is woken, faster than the poll timer fires.
    while (performance.now() < until) {
      const waited = funds.wait({ accountId: `a${n % 5}`, need: 1n, timeoutMs: 300 });
      await sleep(3);
      funds.notify(`a${n % 5}`);
      await waited;
    }
  });
  await Promise.all(waits);
  // A timer of 40 ms may be a part of one early.
  const tookMs = performance.now() - began;
  assert.ok(reads >= 1 && reads <= 1 + tookMs / 39, `${reads} reads in ${tookMs} ms`);
  const before = reads;
  await sleep(150);
  assert.ok(reads <= before + 1, "no read without a waiting request");
});
