import assert from "node:assert/strict";
import { test } from "node:test";
import { endUserBudgetHeader } from "@uag/contract/end-users";
import { outcomeOf } from "./outcome.ts";

const outcome = (status: number, headers: readonly string[] = [], failures = 0) =>
  outcomeOf({ status, headers }, failures, 0);

test("successes and errors of the request are results", () => {
  for (const status of [200, 400, 403, 404, 413, 422]) assert.deepEqual(outcome(status), { kind: "final" });
});

test("an exhausted balance, budget or envelope and an invalid key end all requests of the key", () => {
  for (const status of [401, 402]) assert.deepEqual(outcome(status), { kind: "stop" });
  assert.deepEqual(outcome(429, ["x-should-retry", "false"]), { kind: "stop" });
});

test("limits and unavailability are waited for, at most a minute at a time", () => {
  const retry = ["x-should-retry", "true"];
  assert.deepEqual(outcome(429, [...retry, "retry-after-ms", "250"]), { kind: "wait", waitMs: 250 });
  assert.deepEqual(outcome(429, [...retry, "retry-after", "7200"]), { kind: "wait", waitMs: 60_000 });
  assert.deepEqual(outcome(503, retry), { kind: "wait", waitMs: 1_000 });
  assert.deepEqual(outcome(409, [...retry, "retry-after", "2"]), { kind: "wait", waitMs: 2_000 });
});

test("a request that exceeds its limit at any time, whose end user's part is used up, or whose response is lost, is not repeated", () => {
  assert.deepEqual(outcome(429, ["x-should-retry", "false", endUserBudgetHeader, "bud_1"]), { kind: "final" });
  assert.deepEqual(outcome(429, ["x-should-retry", "false", "x-ratelimit-limit-tokens", "100"]), { kind: "final" });
  assert.deepEqual(outcome(409, ["x-should-retry", "false"]), { kind: "final" });
});

test("a failure of the gateway or the provider is repeated three times", () => {
  for (const status of [500, 502, 504]) {
    const kinds = [0, 1, 2, 3].map((failures) => outcome(status, [], failures).kind);
    assert.deepEqual(kinds, ["wait", "wait", "wait", "final"]);
  }
});
