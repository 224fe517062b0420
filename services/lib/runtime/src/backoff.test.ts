import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs, fullJitter, halfJitter } from "./backoff.ts";

test("a delay doubles with every failure up to its limit", () => {
  const limits = { firstMs: 100, maxMs: 2_000 };
  assert.deepEqual(
    [0, 1, 4, 5, 1e6].map((failures) => backoffMs(failures, limits)),
    [100, 200, 1_600, 2_000, 2_000],
  );
});

test("jitter never lengthens a delay, and half jitter leaves at least half", () => {
  for (const chance of [0, 0.5, 0.999]) {
    const random = (): number => chance;
    assert.ok(fullJitter(100, random) <= 100 && fullJitter(100, random) >= 0);
    assert.ok(halfJitter(100, random) <= 100 && halfJitter(100, random) >= 50);
  }
});
