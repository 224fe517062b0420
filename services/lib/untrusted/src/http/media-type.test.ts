import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuMsOf } from "@uag/harness/testing/durations";
import { parseMediaType } from "./media-type.ts";

const read = (text: string): unknown => {
  const type = parseMediaType(text);
  return type && [type.essence, Object.fromEntries(type.parameters)];
};

test("reads a media type with its parameters, in any case and with optional white space", () => {
  for (const [text, expected] of [
    ["application/json", ["application/json", {}]],
    ["  Application/JSON ; Charset=UTF-8 ; ", ["application/json", { charset: "UTF-8" }]],
    ['multipart/form-data;boundary="a b\\"c"', ["multipart/form-data", { boundary: 'a b"c' }]],
    ["application/vnd.x+json;;a=1;\tb=2", ["application/vnd.x+json", { a: "1", b: "2" }]],
  ] as const) {
    assert.deepEqual(read(text), expected, text);
  }
});

test("rejects an invalid or ambiguous media type", () => {
  const many = Array.from({ length: 17 }, (_, index) => `;p${index}=1`).join("");
  for (const text of [
    "",
    "json",
    "application/",
    "/json",
    "application/json charset=utf-8",
    "a/b; c",
    "a/b; c=",
    "a/b; c = d",
    'a/b; c="d',
    "a/b; c=1; C=2",
    `a/b${many}`,
    `a/b; c=${"d".repeat(17_000)}`,
    "a/b, c/d",
    "a/b; c=é",
  ]) {
    assert.equal(parseMediaType(text), undefined, text);
  }
});

test("reads any text of a header's maximum size within a millisecond", () => {
  const length = 64 * 1024;
  const worst = [
    " ",
    "\t",
    ";",
    "; ",
    ";a=",
    ';a="',
    ';a="\\',
    "a/",
    "application/json ",
    "application/json;charset=utf-8 ",
  ];
  for (const piece of worst) {
    for (const head of ["", "application/json", "multipart/form-data; boundary=x"]) {
      const text = head + piece.repeat(length / piece.length);
      // The fastest of several runs: the others may include compilation or garbage collection.
      const tookMs = Array.from({ length: 10 }, () => cpuMsOf(() => parseMediaType(text)));
      assert.ok(Math.min(...tookMs) < 1, `${JSON.stringify(piece)}: ${tookMs}`);
    }
  }
});
