import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyDigest } from "./body-digest.ts";

const mebibyte = 1024 * 1024;

function digestOf(body: Buffer | string, contentType?: string, size: () => number = () => 65_536): string {
  const bytes = Buffer.from(body);
  const digest = new BodyDigest(contentType);
  for (let at = 0; at < bytes.length; ) {
    const next = at + size();
    digest.update(bytes.subarray(at, next));
    at = next;
  }
  return digest.finish();
}

const typeOf = (boundary: string): string => `multipart/form-data; boundary=${boundary}`;
const form = (boundary: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n${value}\r\n--${boundary}--\r\n`;
const formDigest = (boundary: string, value: string, size?: () => number): string =>
  digestOf(form(boundary, value), typeOf(boundary), size);

test("a form has the same digest whatever its boundary and however it is split", () => {
  const expected = formDigest("aaaa", "x");
  for (const boundary of ["b", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "c".repeat(70)]) {
    for (const size of [1, 2, 3, 7, 64, 1_000])
      assert.equal(
        formDigest(boundary, "x", () => size),
        expected,
      );
    for (let round = 0; round < 20; round++)
      assert.equal(
        formDigest(boundary, "x", () => 1 + Math.floor(Math.random() * 30)),
        expected,
      );
  }
  assert.equal(digestOf(form("aaaa", "x"), 'multipart/form-data; charset=x; boundary="aaaa"'), expected);
});

test("different contents have different digests, even if one contains the other's boundary within a line", () => {
  const bodies = ["x", "y", "xx", "", "see --bb there", "see --cc there", "\r\n", "\r\n--b", "\r\n-bb"];
  const digests = bodies.map((value) => formDigest("bb", value));
  assert.equal(new Set(digests).size, bodies.length);
});

test("a boundary counts only at the start of a line, and only if it has at most 70 characters", () => {
  assert.notEqual(digestOf("1a2a3", typeOf("a")), digestOf("1b2b3", typeOf("b")));
  const long = (letter: string): string => digestOf(form(letter.repeat(71), "x"), typeOf(letter.repeat(71)));
  assert.notEqual(long("a"), long("b"));
});

test("the end of each part affects the digest", () => {
  assert.notEqual(digestOf("--a\r\nxy\r\n--a", typeOf("a")), digestOf("--a\r\nx\r\n--ay", typeOf("a")));
});

/** The worst combinations of boundary and body. */
const hostile: [what: string, boundary: string, unit: string][] = [
  ["text made of the boundary's letters", "a", "a"],
  ["only boundaries", "a", "\r\n--a"],
  ["near misses of the boundary, repeated", `${"a".repeat(69)}b`, "a"],
  ["the boundary without its last letter", `${"a".repeat(69)}b`, `\r\n--${"a".repeat(69)}`],
];
for (const [what, boundary, unit] of hostile) {
  test(`digests 64 MiB in less than 3 s of CPU time and 32 MiB of memory: ${what}`, () => {
    const piece = Buffer.alloc(65_536, unit);
    const digest = new BodyDigest(typeOf(boundary));
    const before = process.memoryUsage().heapUsed;
    const began = process.cpuUsage();
    for (let pieces = 0; pieces < 1_024; pieces++) digest.update(piece);
    digest.finish();
    const { user } = process.cpuUsage(began);
    assert.ok(process.memoryUsage().heapUsed - before < 32 * mebibyte);
    assert.ok(user < 3_000_000, `${user / 1_000} ms`);
  });
}
