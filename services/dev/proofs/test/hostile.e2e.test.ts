import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { isExplained, showHostile, soakHostile } from "../src/soak/hostile/hostile.ts";

test("providers report wrong, huge, missing, negative and new counters to every capability: each request is billed, by a rule that explains the amount", async () => {
  await withTemporaryDir(async (dataDir) => {
    const figures = await soakHostile({ minutes: 0.2, minRequests: 600, seed: 11, dataDir, report: () => undefined });
    assert.ok(isExplained(figures), showHostile(figures));
    const rules = [
      "completed",
      "failed_usage",
      "failed_estimate",
      "upper_bound",
      "unpriced_units",
      "implausible_usage",
      "nothing_owed",
    ];
    for (const rule of rules) assert.ok(figures.byRule.has(rule), showHostile(figures));
  });
});
