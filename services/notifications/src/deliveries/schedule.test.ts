import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTryMs } from "./schedule.ts";

const hour = 3_600_000;
const even = { scale: 1, random: () => 0 };

test("attempts are spread over three days, then end", () => {
  const pauses = Array.from({ length: 10 }, (_, index) => nextTryMs({ ...even, tries: index + 1 }));
  const expected = [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
  assert.deepEqual(pauses, [...expected, undefined]);
});

test("jitter only lengthens a delay, by at most a fifth", () => {
  assert.equal(nextTryMs({ scale: 1, random: () => 0.999_999, tries: 1 })?.toFixed(0), "6000");
});

test("honours a receiver's retry-after, up to a day", () => {
  assert.equal(nextTryMs({ ...even, tries: 1, retryAfterMs: 60_000 }), 60_000);
  assert.equal(nextTryMs({ ...even, tries: 1, retryAfterMs: 100 }), 5_000);
  assert.equal(nextTryMs({ ...even, tries: 1, retryAfterMs: 1_000 * hour }), 24 * hour);
});
