import assert from "node:assert/strict";
import { test } from "node:test";
import { scaledDecimal } from "./decimal.ts";
import { parseExactJson } from "./json/exact.ts";

test("converts decimals in any notation exactly", () => {
  const cases: [string, bigint | undefined][] = [
    ["0.06", 60_000_000n],
    ["6.2e-05", 62_000n],
    ["1E3", 1_000_000_000_000n],
    ["-2.5", -2_500_000_000n],
    ["0.0000000005", 1n],
    ["0.00000000049", 0n],
    ["-0.0000000005", -1n],
    ["", undefined],
    ["1.", undefined],
    ["0x10", undefined],
    ["1".repeat(101), undefined],
  ];
  for (const [text, expected] of cases) assert.equal(scaledDecimal(text, 9), expected, text);
});

test("keeps the digits of JSON numbers that a double cannot represent", () => {
  const parsed = parseExactJson('{"a":0.1234567890123456789,"b":12,"c":9007199254740993,"d":1e-7}');
  assert.deepEqual(parsed, { a: "0.1234567890123456789", b: 12, c: "9007199254740993", d: "1e-7" });
});
