import assert from "node:assert/strict";
import { test } from "node:test";
import { goDuration } from "./go-duration.ts";
import { limitHeaders } from "./headers.ts";

const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at] as string, headers[2 * at + 1] as string]);

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
  const own = limitHeaders({ requests, tokens: undefined }, { native: false, nowMs: 0 });
  assert.deepEqual(Object.fromEntries(pairsOf(own)), {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "59.1s",
    "ratelimit-policy": '"requests";q=60;qu="requests";w=60',
    ratelimit: '"requests";r=59;t=60',
  });
  const native = limitHeaders({ requests, tokens: undefined }, { native: true, nowMs: Date.UTC(2026, 0, 1) });
  assert.equal(new Map(pairsOf(native)).get("anthropic-ratelimit-requests-reset"), "2026-01-01T00:01:00Z");
});

test("lists both limits in the IETF's fields, and sends neither field without a limit", () => {
  const requests = { limit: 60, remaining: 0, resetMs: 1 };
  const tokens = { limit: 100_000, remaining: 5, resetMs: 0 };
  const both = new Map(pairsOf(limitHeaders({ requests, tokens }, { native: false, nowMs: 0 })));
  assert.equal(both.get("ratelimit-policy"), '"requests";q=60;qu="requests";w=60, "tokens";q=100000;qu="tokens";w=60');
  assert.equal(both.get("ratelimit"), '"requests";r=0;t=1, "tokens";r=5;t=0');
  assert.deepEqual(limitHeaders({ requests: undefined, tokens: undefined }, { native: true, nowMs: 0 }), []);
});
