import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "./retry-after.ts";

const now = Date.UTC(2026, 10, 21, 10, 0, 0);
const of = (headers: Record<string, string>): number | undefined => retryAfterMs((name) => headers[name], now);

test("reads seconds, milliseconds and dates, and ignores invalid values", () => {
  assert.equal(of({ "retry-after": "12" }), 12_000);
  assert.equal(of({ "retry-after": " 0.5 " }), 500);
  assert.equal(of({ "retry-after-ms": "250.5", "retry-after": "9" }), 250.5);
  assert.equal(of({ "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT" }), 30_000);
  assert.equal(of({ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }), 0);
  for (const text of ["", "soon", "-3", "NaN"]) assert.equal(of({ "retry-after": text }), undefined, text);
  assert.equal(of({}), undefined);
  assert.equal(of({ "retry-after": "1e12" }), 86_400_000);
});
