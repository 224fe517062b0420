import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCost, parseCount, showUsd } from "./options.ts";

test("amounts are shown exactly to the nano-dollar", () => {
  assert.equal(showUsd(20_000_000_000n), "20.00 USD");
  assert.equal(showUsd(1n), "0.000000001 USD");
  assert.equal(showUsd(-1_500_000_000n), "-1.50 USD");
  assert.equal(showUsd(99_999_973_750n), "99.99997375 USD");
});

test("limits are whole numbers, and a missing limit means unlimited", () => {
  assert.equal(parseCount("rpm", undefined), 0n);
  assert.equal(parseCount("rpm", "60"), 60n);
  assert.throws(() => parseCount("rpm", "many"), /--rpm many/);
});

test("a cost has up to nine decimals and is not negative", () => {
  assert.equal(parseCost("cost", "0.000000001"), 1n);
  assert.equal(parseCost("cost", "12.5"), 12_500_000_000n);
  for (const wrong of ["-1", "1e3", "0.0000000001", ""])
    assert.throws(() => parseCost("cost", wrong), /is not an amount/);
});
