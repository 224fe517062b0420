import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "../errors.ts";
import { parseJson } from "./parse.ts";

const large = "x".repeat(70_000);
const depth = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;
const spread = (levels: number): string => `[${JSON.stringify(large)},${depth(levels)}]`;
const list = (item: string, count: number): string => `{"list":[${Array(count).fill(item).join()}]}`;

const refused: [what: string, text: string | Buffer, status: number, param?: string][] = [
  ["nothing", "", 422],
  ["half an object", "{", 422],
  ["half a large object", `{"a":"${large}"`, 422],
  ["a line break in a string", '{"a":"\n"}', 422],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), 422],
  ["a large body that is not UTF-8", Buffer.concat([Buffer.from(`"${large}`), Buffer.from([0xff, 0x22])]), 422],
  ["half a character", '["\\ud800"]', 422],
  ["half a character as a name", '{"\\udc00":1}', 422],
  ["half a character behind a large text", `["${large}","\\ud800"]`, 422],
  ["a number out of range", '{"a":1e400}', 400],
  ["a number of a million digits", `{"a":${"1".repeat(1_000_000)}}`, 400],
  ["66 levels", depth(66), 400, "a"],
  ["66 levels in a large body", spread(64), 400],
  ["5,000,000 levels", "[".repeat(5_000_000), 400],
  ["1,000,000 names", `{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join()}}`, 400],
  ["100,001 texts", list('"a"', 100_000), 400, "list"],
  ["100,001 objects", list("{}", 100_000), 400, "list"],
  ["100,001 numbers", list("1", 100_001), 400, "list"],
];
for (const [what, text, status, param] of refused) {
  test(`refused with ${status}: ${what}`, () => {
    assert.throws(
      () => parseJson(Buffer.from(text)),
      (error) => error instanceof GatewayError && error.httpStatus === status && error.param === param,
    );
  });
}

const read: [what: string, text: string][] = [
  ["64 levels", depth(64)],
  ["64 levels in a large body", spread(62)],
  ["99,997 texts", list('"a"', 99_997)],
  ["100,000 numbers", list("1", 100_000)],
  ["8,000 names", JSON.stringify(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`name ${at}`, at])))],
  ["a whole character in two escapes", '["\\ud83d\\ude00"]'],
  ["large text of every kind", JSON.stringify([large, "é".repeat(70_000), '"\\'.repeat(70_000), "\u{1f600}"])],
];
for (const [what, text] of read) {
  test(`read as JSON.parse reads it: ${what}`, () => assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text)));
}

test("of a name that is there twice the last counts, and no name reaches a prototype", () => {
  assert.deepEqual(parseJson(Buffer.from('{"a":1,"a":2}')), { a: 2 });
  parseJson(Buffer.from('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}'));
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
});
