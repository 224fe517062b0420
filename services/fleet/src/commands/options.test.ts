import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCount, parseExpiry, parseUsd, showUsd } from "./options.ts";

const now = Date.parse("2026-06-01T00:00:00Z");

test("a key's end is given in days or as a date, and must be to come", () => {
  assert.equal(parseExpiry("30d", now), BigInt(Date.parse("2026-07-01T00:00:00Z")));
  assert.equal(parseExpiry("2027-01-01", now), BigInt(Date.parse("2027-01-01T00:00:00Z")));
  assert.throws(() => parseExpiry("2026-01-01", now), /not a time to come/);
  assert.throws(() => parseExpiry("soon", now), /30d/);
});

test("dollars become nano-dollars and back without losing any", () => {
  assert.equal(parseUsd("usd", "20"), 20_000_000_000n);
  assert.equal(parseUsd("usd", "0.000000001"), 1n);
  assert.equal(parseUsd("usd", "-1.5"), -1_500_000_000n);
  assert.throws(() => parseUsd("usd", "1e3"), /not an amount/);
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
