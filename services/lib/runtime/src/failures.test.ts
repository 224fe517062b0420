import assert from "node:assert/strict";
import { test } from "node:test";
import { Failures } from "./failures.ts";

test("allows a source a burst of failures, then a rate, with a retry delay of at most half a minute", () => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => now };
  const failures = new Failures({ clock, free: 3, perSecond: 2, max: 100 });
  for (let i = 0; i < 3; i++) {
    assert.equal(failures.waitMs("a"), 0);
    failures.add("a");
  }
  assert.equal(failures.waitMs("a"), 500);
  assert.equal(failures.waitMs("b"), 0);
  now += 500;
  assert.equal(failures.waitMs("a"), 0);
  for (let i = 0; i < 1_000; i++) failures.add("a");
  assert.equal(failures.waitMs("a"), 30_000);
  now += 30_000;
  assert.equal(failures.waitMs("a"), 0);
});

test("remembers a bounded number of failing sources", () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const failures = new Failures({ clock, free: 1, perSecond: 1, max: 100 });
  failures.add("first");
  for (let i = 0; i < 1_000; i++) failures.add(`source ${i}`);
  assert.equal(failures.waitMs("first"), 0);
  assert.ok(failures.waitMs("source 999") > 0);
});
