import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { editMembers, topLevelMembers } from "./json-edit.ts";

function edit(text: string, edits: Record<string, string | undefined>): string {
  const bytes = Buffer.from(text);
  return editMembers(bytes, topLevelMembers(bytes), new Map(Object.entries(edits))).toString();
}

test("changes only the named members and no other byte", () => {
  const body = '{ "model" : "a",\n  "seed": 9007199254740993, "n":1e400,"x":"\\u00e9\\"}" }';
  assert.equal(edit(body, { model: '"b"' }), body.replace('"a"', '"b"'));
  assert.equal(edit(body, { seed: undefined }), '{ "model" : "a", "n":1e400,"x":"\\u00e9\\"}" }');
  assert.equal(edit(body, { model: undefined }), '{ "seed": 9007199254740993, "n":1e400,"x":"\\u00e9\\"}" }');
  assert.equal(edit(body, { x: undefined }), '{ "model" : "a",\n  "seed": 9007199254740993, "n":1e400 }');
  assert.equal(edit(body, { y: "{}" }), `${body.slice(0, -2)},"y":{} }`);
});

test("edits empty objects, removes all members and inserts all members", () => {
  assert.equal(edit("{}", { a: "1", b: "2" }), '{"a":1,"b":2}');
  assert.equal(edit(" { } ", { a: "1" }), ' {"a":1 } ');
  assert.equal(edit('{"a":1,"b":2}', { a: undefined, b: undefined }), "{}");
  assert.equal(edit('{"a":1,"b":2}', { a: undefined, b: undefined, c: "3" }), '{"c":3}');
});

test("returns the same buffer when nothing changes", () => {
  const bytes = Buffer.from('{"a":1}');
  assert.equal(editMembers(bytes, topLevelMembers(bytes), new Map([["b", undefined]])), bytes);
});

test("keeps the last of duplicate members, as JSON.parse does, however their keys are escaped", () => {
  assert.equal(edit('{"model":"cheap","n":1,"model":"dear"}', {}), '{"n":1,"model":"dear"}');
  assert.equal(edit('{"model":"cheap","mod\\u0065l":"dear"}', {}), '{"mod\\u0065l":"dear"}');
  assert.equal(edit('{"model":"cheap","mod\\u0065l":"dear"}', { model: '"x"' }), '{"mod\\u0065l":"x"}');
  assert.equal(edit('{"a":1,"a":2,"a":3}', { a: undefined }), "{}");
});

test("leaves members of nested objects and text in strings unchanged", () => {
  const body = '{"messages":[{"model":"x","content":"\\"model\\": {[\\\\"}],"model":"y"}';
  assert.equal(edit(body, { model: '"z"' }), body.replace('"y"', '"z"'));
});

test("treats names of Object's own members as ordinary keys", () => {
  assert.equal(
    edit('{"__proto__":{"a":1},"constructor":1}', { model: '"z"' }),
    '{"__proto__":{"a":1},"constructor":1,"model":"z"}',
  );
});

test("editing the bytes equals editing the parsed object, for random objects", () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = seededRandom(seed);
    const below = (n: number): number => Math.floor(next() * n);
    const space = (): string => ["", "", " ", "\n\t", "\r\n"][below(5)] as string;
    const texts = ["", "a", '"', "\\", '\\"', "{", "]", "é🎉", "\u0000", ",", ":", "model"];
    const value = (depth: number): string => {
      const kind = below(depth > 2 ? 4 : 6);
      if (kind === 0) return ["0", "-1.5e3", "true", "null", "12345678901234567890"][below(5)] as string;
      if (kind < 4) return JSON.stringify(Array.from({ length: below(3) }, () => texts[below(texts.length)]).join(""));
      const inner = Array.from({ length: below(4) }, () => value(depth + 1));
      if (kind === 4) return `[${space()}${inner.join(`${space()},${space()}`)}${space()}]`;
      return `{${space()}${inner.map((text) => `"k${below(9)}"${space()}:${space()}${text}`).join(`${space()},`)}${space()}}`;
    };
    const keys = ["a", "b", "c", "model", "mod\\u0065l", "é", '\\"', "{"];
    const members = Array.from(
      { length: below(6) },
      () => `${space()}"${keys[below(keys.length)]}"${space()}:${space()}${value(0)}${space()}`,
    );
    const text = `${space()}{${members.join(",") || space()}}${space()}`;
    const edits = new Map<string, string | undefined>();
    for (let i = below(4); i > 0; i--)
      edits.set(["a", "b", "model", "new", "é"][below(5)] as string, below(2) === 0 ? undefined : value(0));
    const bytes = Buffer.from(text);
    const edited = editMembers(bytes, topLevelMembers(bytes), edits).toString();
    const expected = new Map<string, unknown>(Object.entries(JSON.parse(text) as object));
    for (const [key, raw] of edits) raw === undefined ? expected.delete(key) : expected.set(key, JSON.parse(raw));
    const actual = new Map<string, unknown>(Object.entries(JSON.parse(edited) as object));
    assert.deepEqual(actual, expected, `seed ${seed}: ${text} -> ${edited}`);
  }
});
