import assert from "node:assert/strict";
import { test } from "node:test";
import { Needle } from "./needle.ts";

test("finds a needle where Buffer's own search finds it, from any offset", () => {
  const letters = 'ab"';
  let seed = 1;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  const text = (max: number): string => Array.from({ length: next(max) }, () => letters[next(3)]).join("");
  let found = 0;
  for (let round = 0; round < 20_000; round++) {
    const wanted = `${letters[next(3)]}${text(6)}`;
    const bytes = Buffer.from(text(60));
    const from = next(bytes.length + 2);
    const needle = new Needle(wanted);
    const at = needle.indexIn(bytes, from);
    assert.equal(at, bytes.subarray(from).indexOf(wanted) < 0 ? -1 : bytes.indexOf(wanted, from));
    assert.equal(needle.isAt(bytes, from), bytes.subarray(from, from + wanted.length).equals(Buffer.from(wanted)));
    if (at >= 0) found++;
  }
  assert.ok(found > 5_000, `only ${found} needles occurred`);
});

test("finds a needle with multi-byte characters", () => {
  assert.equal(new Needle("ö").indexIn(Buffer.from("schön")), 3);
});

test("rejects a needle that is empty or too long for its table", () => {
  assert.throws(() => new Needle(""), RangeError);
  assert.throws(() => new Needle("x".repeat(256)), RangeError);
});
