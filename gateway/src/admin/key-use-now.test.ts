import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetForecast } from "./key-use-now.ts";

const resetsAtMs = BigInt(Date.UTC(2026, 11));
const at = (day: number): number => Date.UTC(2026, 10, day);

test("a month's spending is extrapolated from its days so far, to the day on which the budget runs out", () => {
  const use = { limitNanoUsd: 60n, spentNanoUsd: 20n, resetsAtMs };
  assert.deepEqual(budgetForecast(use, at(11)), { expectedNanoUsd: 60n, runsOutAtMs: at(31) });
  assert.deepEqual(budgetForecast({ ...use, limitNanoUsd: 30n }, at(11)), {
    expectedNanoUsd: 60n,
    runsOutAtMs: at(16),
  });
  assert.deepEqual(budgetForecast({ ...use, limitNanoUsd: 61n }, at(11)), {
    expectedNanoUsd: 60n,
    runsOutAtMs: undefined,
  });
});

test("a spent budget runs out now, and an unused one never", () => {
  const now = at(21);
  assert.equal(budgetForecast({ limitNanoUsd: 10n, spentNanoUsd: 20n, resetsAtMs }, now).runsOutAtMs, now);
  assert.deepEqual(budgetForecast({ limitNanoUsd: 10n, spentNanoUsd: 0n, resetsAtMs }, at(1)), {
    expectedNanoUsd: 0n,
    runsOutAtMs: undefined,
  });
});
