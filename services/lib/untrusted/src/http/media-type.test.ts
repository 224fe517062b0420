import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuMsOf } from "@uag/harness/testing/durations";
import { parseMediaType } from "./media-type.ts";

const read = (text: string): unknown => {
  const type = parseMediaType(text);
  return type && [type.essence, Object.fromEntries(type.parameters)];
};

test("a media type is read with its parameters, in any case and with spaces where they may stand", () => {
  for (const [text, expected] of [
    ["application/json", ["application/json", {}]],
    ["  Application/JSON ; Charset=UTF-8 ; ", ["application/json", { charset: "UTF-8" }]],
    ['multipart/form-data;boundary="a b\\"c"', ["multipart/form-data", { boundary: 'a b"c' }]],
    ["application/vnd.x+json;;a=1;\tb=2", ["application/vnd.x+json", { a: "1", b: "2" }]],
  ] as const) {
    assert.deepEqual(read(text), expected, text);
  }
});

test("what is no media type, or could be taken for two, is none", () => {
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

test("no text of a header's size takes longer than a millisecond to be read", () => {
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
      // The quickest of some: the others were translated or cleaned up after meanwhile.
      const tookMs = Array.from({ length: 10 }, () => cpuMsOf(() => parseMediaType(text)));
      assert.ok(Math.min(...tookMs) < 1, `${JSON.stringify(piece)}: ${tookMs}`);
    }
  }
});
