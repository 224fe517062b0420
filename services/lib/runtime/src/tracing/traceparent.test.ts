import assert from "node:assert/strict";
import { test } from "node:test";
import { currentTraceparent, parseTraceparent, traceparentOf, withTraceparent } from "./traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("parses a traceparent by W3C's recommendation and writes it back unchanged", () => {
  const text = `00-${traceId}-${spanId}-01`;
  const parsed = parseTraceparent(text);
  assert.deepEqual(parsed, { traceId, spanId, traceFlags: 1, isRemote: true });
  assert.equal(traceparentOf(parsed), text);
  assert.equal(parseTraceparent(`01-${traceId}-${spanId}-03-later`)?.traceFlags, 1);
});

test("an invalid traceparent starts a new trace", () => {
  const wrong = [
    undefined,
    "",
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-${"x".repeat(600)}`,
  ];
  for (const text of wrong) assert.equal(parseTraceparent(text), undefined, text);
});

test("only calls within a traced call carry its traceparent", async () => {
  assert.equal(currentTraceparent(), undefined);
  const seen = await withTraceparent("a", async () => {
    await Promise.resolve();
    return currentTraceparent();
  });
  assert.deepEqual([seen, currentTraceparent()], ["a", undefined]);
});
