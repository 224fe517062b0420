import assert from "node:assert/strict";
import { test } from "node:test";
import { goDuration } from "./go-duration.ts";
import { limitHeaders } from "./headers.ts";

test("formats durations like Go, as in OpenAI's headers", () => {
  const printed: [number, string][] = [
    [-5, "0s"],
    [0, "0s"],
    [0.2, "1ms"],
    [20, "20ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [360_000, "6m0s"],
    [3_661_250, "1h1m1.25s"],
  ];
  for (const [ms, text] of printed) assert.equal(goDuration(ms), text);
});

test("sends Anthropic's headers only for messages, with the reset as a time", () => {
  const requests = { limit: 60, remaining: 59, resetMs: 59_100 };
  const own = [
    "x-ratelimit-limit-requests",
    "60",
    "x-ratelimit-remaining-requests",
    "59",
    "x-ratelimit-reset-requests",
  ];
  assert.deepEqual(limitHeaders({ requests, tokens: undefined }, { native: false, nowMs: 0 }), [...own, "59.1s"]);
  const native = limitHeaders({ requests, tokens: undefined }, { native: true, nowMs: Date.UTC(2026, 0, 1) });
  assert.deepEqual(native.slice(-2), ["anthropic-ratelimit-requests-reset", "2026-01-01T00:01:00Z"]);
});
