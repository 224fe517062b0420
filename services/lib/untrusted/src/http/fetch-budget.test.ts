import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { FetchBudget } from "./fetch-budget.ts";

test("an owner's fetches are refused beyond the budget, which refills evenly, and other owners' are not", () => {
  let now = 0;
  const budget = new FetchBudget({ perHour: 10, now: () => now });
  for (let n = 0; n < 10; n++) budget.take("acct_1");
  const refused = (error: GatewayError): boolean =>
    error.code === "rate_limit_exceeded" && error.retryAfterMs === 360_000 && /10 fetched URLs/.test(error.message);
  assert.throws(() => budget.take("acct_1"), refused);
  assert.equal(budget.refused, 1);
  budget.take("acct_2");
  assert.deepEqual(budget.mostUsed(1), [{ owner: "acct_1", used: 10 }]);
  now = 359_999;
  assert.throws(() => budget.take("acct_1"));
  now = 360_000;
  budget.take("acct_1");
  assert.throws(() => budget.take("acct_1"));
  now += 3_600_000;
  assert.deepEqual(budget.mostUsed(10), []);
});

test("budgets that are full again take no memory", () => {
  let now = 0;
  const budget = new FetchBudget({ perHour: 3_600, now: () => now });
  for (let n = 0; n < 10_000; n++) {
    budget.take(`acct_${n}`);
    now += 10;
  }
  // Each is full again after a second: 100 are not.
  assert.ok(budget.mostUsed(10_000).length <= 100);
});
