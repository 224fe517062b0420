import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeOf } from "./range.ts";

const cases: [header: string | undefined, expected: ReturnType<typeof rangeOf>][] = [
  [undefined, undefined],
  ["bytes=0-9", { start: 0, end: 9 }],
  ["bytes=90-", { start: 90, end: 99 }],
  ["bytes=90-1000000", { start: 90, end: 99 }],
  ["bytes=-10", { start: 90, end: 99 }],
  ["bytes=-1000", { start: 0, end: 99 }],
  ["bytes= 5 - 6", { start: 5, end: 6 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-3", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,5-6", undefined],
  ["lines=0-1", undefined],
];
for (const [header, expected] of cases) {
  test(`parses the range '${header}' of 100 bytes as ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(rangeOf(header, 100), expected));
}

test("every range of an empty file is unsatisfiable", () => assert.equal(rangeOf("bytes=0-0", 0), "unsatisfiable"));
