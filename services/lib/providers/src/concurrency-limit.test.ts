import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const bounds = { min: 2, max: 20 };

function stage() {
  const limit = new ConcurrencyLimit();
  limit.within(bounds);
  const open = (count: number): void => {
    for (let i = 0; i < count; i++) limit.began();
  };
  return { limit, open };
}

test("overload lowers the limit to nine tenths, down to the floor", () => {
  const { limit } = stage();
  assert.equal(limit.limit, 20);
  limit.overloaded(bounds);
  assert.equal(limit.limit, 18);
  for (let i = 0; i < 50; i++) limit.overloaded(bounds);
  assert.equal(limit.limit, 2);
});

test("successes raise the limit by one up to the ceiling, while at least half of it is in use", () => {
  const { limit, open } = stage();
  for (let i = 0; i < 50; i++) limit.overloaded(bounds);
  limit.succeeded(bounds);
  assert.equal(limit.limit, 2, "no call is in progress");
  open(2);
  for (let i = 0; i < 9; i++) limit.succeeded(bounds);
  assert.equal(limit.limit, 5, "two of five are less than half");
  open(18);
  for (let i = 0; i < 50; i++) limit.succeeded(bounds);
  assert.equal(limit.limit, 20);
});

test("calls up to the limit are made at once, and other bounds apply from the next call", () => {
  const { limit, open } = stage();
  open(19);
  assert.equal(limit.isReached, false);
  open(1);
  assert.equal(limit.isReached, true);
  limit.ended();
  assert.equal(limit.isReached, false);
  limit.within({ min: 1, max: 10 });
  assert.deepEqual([limit.limit, limit.isReached], [10, true]);
});
