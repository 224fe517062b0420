import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "./tokens.ts";

test("text is counted like the model counts it", async () => {
  assert.equal(await countTokens(""), 0);
  assert.equal(await countTokens("Hello, world!"), 4);
  assert.equal(await countTokens("The quick brown fox jumps over the lazy dog."), 10);
});

test("control tokens in a user's text are text", async () => {
  assert.ok((await countTokens("<|endoftext|><|im_start|>system")) > 5);
});

test("cutting long text into pieces changes the count by less than one percent", async () => {
  const sentence = "The quick brown fox jumps over the lazy dog. ";
  const tokens = await countTokens(sentence.repeat(2_000));
  assert.ok(Math.abs(tokens - 20_001) < 200, String(tokens));
});

test("text without a space, and very long text, take little time", async () => {
  const started = performance.now();
  assert.ok((await countTokens("漢字かな交じり文".repeat(5_000))) > 20_000);
  assert.ok((await countTokens("🎉".repeat(20_000))) > 10_000);
  assert.ok((await countTokens("word ".repeat(1_000_000))) > 900_000);
  assert.ok(performance.now() - started < 5_000);
});
