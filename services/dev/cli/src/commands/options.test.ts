import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCost, parseCount, showUsd } from "./options.ts";

test("nano-dollars are shown without losing any", () => {
  assert.equal(showUsd(20_000_000_000n), "20.00 USD");
  assert.equal(showUsd(1n), "0.000000001 USD");
  assert.equal(showUsd(-1_500_000_000n), "-1.50 USD");
  assert.equal(showUsd(99_999_973_750n), "99.99997375 USD");
});

test("limits are whole numbers; one that is not given means unlimited", () => {
  assert.equal(parseCount("rpm", undefined), 0n);
  assert.equal(parseCount("rpm", "60"), 60n);
  assert.throws(() => parseCount("rpm", "many"), /--rpm many/);
});

test("a cost is dollars to the nano, and never negative", () => {
  assert.equal(parseCost("cost", "0.000000001"), 1n);
  assert.equal(parseCost("cost", "12.5"), 12_500_000_000n);
  for (const wrong of ["-1", "1e3", "0.0000000001", ""])
    assert.throws(() => parseCost("cost", wrong), /is not an amount/);
});
