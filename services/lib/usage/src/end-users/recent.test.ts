import assert from "node:assert/strict";
import { test } from "node:test";
import { maxEndUsers, RecentEndUsers } from "./recent.ts";

test("a new end user evicts the least recently used one of its account, and none of other accounts", () => {
  const recent = new RecentEndUsers();
  for (let n = 0; n < maxEndUsers; n++) assert.equal(recent.use("a", `a${n}`), undefined);
  assert.equal(recent.use("b", "b0"), undefined);
  assert.equal(recent.use("a", "a0"), undefined, "a known one needs no room");
  assert.equal(recent.use("a", "new"), "a1");
  recent.forget("a2");
  assert.equal(recent.use("a", "newer"), undefined, "a forgotten one leaves room");
  assert.equal(recent.use("a", "newest"), "a3");
});
