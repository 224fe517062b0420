import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "./hash.ts";
import { countTokens, piecesOf, takeTokens, tokensOf } from "./tokens.ts";
import { wordsOf } from "./words.ts";

const texts = [
  "",
  "hello world",
  "Grüße 😀👩‍👩‍👧 日本語のテキスト",
  "<|endoftext|> is plain",
  "a\r\n\tb  c",
  "x".repeat(5000),
  "wörd ".repeat(30_000),
];

test("the pieces of any text add up to the text and its tokens", () => {
  for (const text of texts) {
    const pieces = piecesOf(text);
    assert.equal(pieces.map((piece) => piece.text).join(""), text);
    assert.equal(tokensOf(pieces), countTokens(text));
  }
});

test("n words are exactly n tokens", () => {
  for (const count of [0, 1, 2, 50, 500]) assert.equal(countTokens(wordsOf(randomFrom("ab", "w"), count)), count);
});

test("a limit returns the longest prefix that fits, and whether anything was cut off", () => {
  const pieces = piecesOf(wordsOf(randomFrom("ab", "w"), 10));
  assert.deepEqual(takeTokens(pieces, 10), { pieces, tokens: 10, cut: false });
  assert.deepEqual(takeTokens(pieces, 4), { pieces: pieces.slice(0, 4), tokens: 4, cut: true });
  assert.deepEqual(takeTokens(pieces, 0), { pieces: [], tokens: 0, cut: true });
});

test("counts a long unbroken run in well under a second", () => {
  const before = process.threadCpuUsage();
  countTokens("a".repeat(1_000_000));
  countTokens("😀".repeat(20_000));
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 500_000, `${user + system} us`);
});
