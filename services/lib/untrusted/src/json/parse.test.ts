import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Turn } from "../../test/first-body.ts";
import { LongStrings } from "./long-strings.ts";
import { bodyLimits, parseJson, parseJsonInTurns } from "./parse.ts";
import { scanJson } from "./scan.ts";

const large = "x".repeat(70_000);
const blank = " \n\t\r".repeat(20_000);
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
  ["half a character within a large text", `["${large}\\ud800${large}"]`, 422],
  ["a line break in a large text", `["${large}\n${large}"]`, 422],
  ["half an escape in a large text", `["${large}\\u12${large}"]`, 422],
  ["half a character behind a large text", `["${large}","\\ud800"]`, 422],
  ["a number out of range", '{"a":1e400}', 400],
  ["a number of a million digits", `{"a":${"1".repeat(1_000_000)}}`, 400],
  ["a name of 100,000 bytes in a large body", `{"${"k".repeat(100_000)}":"${large}"}`, 400],
  ["66 levels", depth(66), 400, "a"],
  ["66 levels in a large body", spread(64), 400],
  ["5,000,000 levels", "[".repeat(5_000_000), 400],
  ["1,000,000 names", `{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join()}}`, 400],
  ["100,001 texts", list('"a"', 100_000), 400, "list"],
  ["100,001 objects", list("{}", 100_000), 400, "list"],
  ["100,001 numbers", list("1", 100_001), 400, "list"],
];
for (const [what, text, status, param] of refused) {
  test(`rejects with ${status}: ${what}`, async () => {
    const isRefusal = (error: unknown): boolean =>
      error instanceof GatewayError && error.httpStatus === status && error.param === param;
    assert.throws(() => parseJson(Buffer.from(text)), isRefusal);
    await assert.rejects(parseJsonInTurns(Buffer.from(text)), isRefusal);
  });
}

const read: [what: string, text: string][] = [
  ["64 levels", depth(64)],
  ["64 levels in a large body", spread(62)],
  ["99,997 texts", list('"a"', 99_997)],
  ["100,000 numbers", list("1", 100_000)],
  ["8,000 names", JSON.stringify(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`name ${at}`, at])))],
  ["white space everywhere", `${blank}{${blank}"a"${blank}:${blank}[1${blank},"b"${blank}]}${blank}`],
  ["a whole character in two escapes", '["\\ud83d\\ude00"]'],
  ["large text of every kind", JSON.stringify([large, "é".repeat(70_000), '"\\'.repeat(70_000), "\u{1f600}"])],
];
for (const [what, text] of read) {
  test(`parses like JSON.parse: ${what}`, async () => {
    assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    assert.deepEqual(await parseJsonInTurns(Buffer.from(text)), JSON.parse(text));
  });
}

test("uses the last of duplicate names, and no name reaches a prototype", () => {
  assert.deepEqual(parseJson(Buffer.from('{"a":1,"a":2}')), { a: 2 });
  parseJson(Buffer.from('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}'));
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
});

test("parses texts of megabytes like JSON.parse, wherever they are split", async () => {
  const units = ["x", "é", "汉", "\u{1f600}", '\\"', "\\\\", "\\u6c49", "\\ud83d\\ude00", "\\\\u", "\\n\\\\\\/"];
  for (const [index, unit] of units.entries()) {
    for (const shift of [0, 1, 2, 3, 4, 5]) {
      const text = "a".repeat(shift) + unit.repeat(Math.ceil(2_200_000 / Buffer.byteLength(unit)));
      const json = `{"n":${index},"list":["${large}","${text}"],"b":"c"}`;
      const [read, expected] = [await parseJsonInTurns(Buffer.from(json)), JSON.parse(json)];
      assert.ok(isDeepStrictEqual(read, expected), `${unit} after ${shift}`);
    }
  }
});

test("leaves less than 2 MiB of 32 MiB of texts of any usual length to be parsed in one turn", async () => {
  for (const length of [2_000, 20_000, 60_000]) {
    const part = `{"type":"text","text":"${"a".repeat(length)}"}`;
    const bytes = Buffer.from(list(part, Math.floor((32 * 1024 * 1024) / (length + 50))));
    const strings = new LongStrings(bytes, scanJson(bytes, bodyLimits).longSpans);
    assert.ok((await strings.remainder()).length < 2 * 1024 * 1024, `texts of ${length}`);
  }
});

test("limits a text to OpenAI's maximum length, but not base64", async () => {
  const length = 10 * 1024 * 1024;
  const read = async (text: string): Promise<number> => {
    const { a } = (await parseJsonInTurns(Buffer.from(`{"a":{"b":"${text}"}}`))) as { a: { b: string } };
    return a.b.length;
  };
  assert.equal(await read("a ".repeat(length / 2)), length);
  await assert.rejects(read(`${"a ".repeat(length / 2)}a`), { code: "invalid_request", param: "a" });
  await assert.rejects(read(`${"a".repeat(length)}汉`), { code: "invalid_request", param: "a" });
  const base64 = "QUJD".repeat(length / 4);
  assert.equal(await read(`${base64}QQ==`), length + 4);
  assert.equal(await read(`data:image/png;base64,${base64}QQ==`), length + 26);
});

test("no turn of parsing a process's first body takes more than 16 MiB of new memory", () => {
  const program = fileURLToPath(new URL("../../test/first-body.ts", import.meta.url));
  const worst = (kind: string): Turn =>
    JSON.parse(execFileSync(process.execPath, [program, kind], { encoding: "utf8" })) as Turn;
  for (const kind of ["base64", "one wide character", "the longest texts", "hundreds of texts", "escapes"]) {
    const { grownBytes, ms } = worst(kind);
    assert.ok(grownBytes < 16 * 1024 * 1024, `${kind}: ${grownBytes} bytes`);
    assert.ok(ms < 150, `${kind}: ${ms} ms`);
  }
});

test("parses a text of 32 MiB in several turns of the event loop", async () => {
  const bytes = Buffer.from(`{"a":"${"\\n".repeat(16 * 1024 * 1024)}"}`);
  let max = 0;
  let all = 0;
  let last = process.threadCpuUsage();
  let done = false;
  const reading = parseJsonInTurns(bytes).finally(() => {
    done = true;
  });
  while (!done) {
    await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    max = Math.max(max, user + system);
    all += user + system;
  }
  assert.equal(((await reading) as { a: string }).a.length, 16 * 1024 * 1024);
  assert.ok(max < all / 2, `${max} of ${all} us`);
});
