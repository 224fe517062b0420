import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "./simulate.ts";

test("steps with crashes, lost calls, pauses and clock jumps lose, duplicate and overdraw nothing and exceed no limit, at no level and in no envelope", async () => {
  const { requests, crashes } = await simulate({ steps: 150_000, seed: 2 });
  assert.ok(requests > 1_000 && crashes > 100, `${requests} requests, ${crashes} crashes`);
});

test("the same seed gives the same run", async () => {
  const once = await simulate({ steps: 20_000, seed: 7 });
  assert.deepEqual(await simulate({ steps: 20_000, seed: 7 }), once);
});

test("a request is not admitted by a permit whose lease expired while it waited for another permit", async () => {
  await simulate({ steps: 4_000, seed: 1170 });
});
