import assert from "node:assert/strict";
import { before, test } from "node:test";
import i18next from "i18next";
import { bytes, percent, percentChange } from "./number.ts";

before(async () => {
  await i18next.init({ lng: "en", resources: {} });
});

test("a share below one is never shown as 100%, nor one above zero as 0%", () => {
  assert.equal(percent(1), "100%");
  assert.equal(percent(99_991 / 100_000), "99.9%");
  assert.equal(percent(0.995), "99.5%");
  assert.equal(percent(0), "0%");
  assert.equal(percent(0.000_01), "<0.01%");
});

test("a change is shown with its sign", () => {
  assert.deepEqual([25, -12.345, 0].map(percentChange), ["+25%", "-12.35%", "0%"]);
});

test("sizes carry their unit's symbol", () => {
  assert.deepEqual([0, 1, 999, 123_456].map(bytes), ["0 B", "1 B", "999 B", "123.5 kB"]);
});
