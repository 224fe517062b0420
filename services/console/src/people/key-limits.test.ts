import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLimits, limitsIn, requireWithin, storedLimits } from "./key-limits.ts";

const ceiling = limitsIn({ models: ["gpt-4o*", "m"], rpm_limit: 10, max_budget: "5", expires: "30d" });
const checked = (body: object): void => requireWithin(limitsIn({ ...body }), ceiling);

test("accepts limits that permit no more than the ceiling", () => {
  for (const body of [
    { models: ["gpt-4o-mini", "m"] },
    { models: ["gpt-4o*"] },
    { rpm_limit: 10 },
    { max_budget: 4.999 },
    { max_budget: "5.000000000" },
    { expires: "29d" },
    { tpm_limit: null },
    {},
  ])
    checked(body);
});

test("rejects limits that permit more than the ceiling, or none, and names the field", () => {
  for (const [param, value] of [
    ["models", []],
    ["models", ["gpt-4*"]],
    ["models", ["*"]],
    ["models", ["m", "other"]],
    ["rpm_limit", 11],
    ["rpm_limit", null],
    ["max_budget", "5.000000001"],
    ["max_budget", null],
    ["expires", "31d"],
    ["expires", null],
  ] as const)
    assert.throws(() => checked({ [param]: value }), { code: "permission_denied", param }, `${param} ${value}`);
});

test("stores limits as the admin API accepts them, without those that limit nothing", () => {
  const stored = storedLimits(limitsIn({ models: [], rpm_limit: null, tpm_limit: 7, max_budget: 2.5, expires: "1d" }));
  assert.deepEqual(stored, { tpm_limit: 7, max_budget: "2.500000000" });
  assert.deepEqual(limitsIn(stored), { tpm_limit: 7, max_budget: 2_500_000_000n });
});

test("finds the limits that differ", () => {
  const before = limitsIn({ models: ["a"], rpm_limit: 1, tpm_limit: 2 });
  const after = limitsIn({ models: ["a"], rpm_limit: null, max_budget: 1 });
  assert.deepEqual(changedLimits(before, after), { rpm_limit: null, max_budget: 1_000_000_000n });
});
