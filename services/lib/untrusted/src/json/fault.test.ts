import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFault } from "./fault.ts";

const faults: readonly [text: string, place: string, what: string][] = [
  ["{a: 1}", "1:2", "expected a field name in double quotes, found 'a'"],
  ["{“a”: 1}", "1:2", "expected a field name in double quotes, found '“'"],
  [`{"a": 'b'}`, "1:7", `expected a value, found "'"`],
  ['{"a": x}', "1:7", "expected a value, found 'x'"],
  ['{"a": tru}', "1:7", "expected a value, found 't'"],
  ['{"a": 01}', "1:7", "expected a value, found '0'"],
  ['{"a": NaN}', "1:7", "expected a value, found 'N'"],
  ['{"a": 1,}', "1:9", "remove the comma before '}'"],
  ["[1, 2, ]", "1:8", "remove the comma before ']'"],
  ['{\n  "a": 1\n  "b": 2\n}', "3:3", `expected ',' or '}', found '"'`],
  ['{"a" 1}', "1:6", "expected ':' after a field name, found '1'"],
  ['{"a": ["b"}', "1:11", "expected ',' or ']', found '}'"],
  ['{"a": 1} x', "1:10", "expected the end of the body, found 'x'"],
  ['{"a":\r\n "b\nc"}', "2:4", "a line break in a string must be written as \\n"],
  ['{"a": "b\tc"}', "1:9", "a tab in a string must be written as \\t"],
  ['{"a": "b\u0001c"}', "1:9", "a control character in a string must be escaped"],
  ['{"a": "\\q"}', "1:8", "this is no valid escape in a string"],
  ['{"a": "b', "1:7", "the string that begins here has no closing quote"],
  ['{"a": 1', "1:8", "the body ends, but '}' is missing"],
  [" ", "1:2", "the body ends before its value"],
  ["\u0000", "1:1", "expected a value, found U+0000"],
  [`${"[".repeat(100_000)}`, "1:100001", "the body ends, but ']' is missing"],
];
for (const [text, place, what] of faults)
  test(`names line, column and cause of ${JSON.stringify(text.slice(0, 30))}`, () => {
    const fault = jsonFault(text);
    assert.deepEqual([`${fault?.line}:${fault?.column}`, fault?.what], [place, what]);
  });

/** A small generator with a fixed seed, so that a failure repeats. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state;
  }
}

const pieces = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"a"',
  '"\\u00e9\\n"',
  '"\\x"',
  " ",
  "\n",
  "1",
  "-0.5e+3",
  "1.",
  "null",
  "x",
  '"',
];

test("finds a fault in exactly those texts that JSON.parse refuses", () => {
  const random = numbers(7);
  const counts = { valid: 0, invalid: 0 };
  for (let index = 0; index < 20_000; index++) {
    const length = 1 + (random.next().value % 7);
    const text = Array.from({ length }, () => pieces[random.next().value % pieces.length]).join("");
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
    }
    counts[valid ? "valid" : "invalid"]++;
    assert.equal(jsonFault(text) === undefined, valid, JSON.stringify(text));
  }
  assert.ok(counts.valid > 100 && counts.invalid > 1_000, JSON.stringify(counts));
});

test("finds the fault of the longest text that is searched within 20 ms", () => {
  const text = `{"a":[${'"b",{"c":1},'.repeat(10_000)}`;
  jsonFault(text);
  const before = process.threadCpuUsage();
  assert.ok(jsonFault(text));
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 20_000, `${user + system} µs`);
});
