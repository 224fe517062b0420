import assert from "node:assert/strict";
import { test } from "node:test";
import { usdText } from "./usd.ts";

test("formats an amount exactly, with nine decimals, whatever its size and sign", () => {
  const cases: readonly [bigint, string][] = [
    [0n, "0.000000000"],
    [1n, "0.000000001"],
    [12_500_000_000n, "12.500000000"],
    [-999_999_999n, "-0.999999999"],
    [9_223_372_036_854_775_807n, "9223372036.854775807"],
  ];
  for (const [nanoUsd, text] of cases) assert.equal(usdText(nanoUsd), text);
});
