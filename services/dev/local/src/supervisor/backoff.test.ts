import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartBackoff } from "./backoff.ts";

test("the delay before a restart grows each time, up to 5 s", () => {
  const backoff = new RestartBackoff();
  const delays = Array.from({ length: 8 }, () => backoff.next(10));
  assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test("a process that ran for 30 s is restarted immediately", () => {
  const backoff = new RestartBackoff();
  for (let i = 0; i < 5; i++) backoff.next(10);
  assert.equal(backoff.next(30_000), 100);
  assert.equal(backoff.next(10), 200);
});
