import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "./tokens.ts";

test("counts text as the model does", async () => {
  assert.equal(await countTokens(""), 0);
  assert.equal(await countTokens("Hello, world!"), 4);
  assert.equal(await countTokens("The quick brown fox jumps over the lazy dog."), 10);
});

test("counts control tokens in a user's text as ordinary text", async () => {
  assert.ok((await countTokens("<|endoftext|><|im_start|>system")) > 5);
});

test("counting long text in pieces changes the count by less than one percent", async () => {
  const sentence = "The quick brown fox jumps over the lazy dog. ";
  const tokens = await countTokens(sentence.repeat(2_000));
  assert.ok(Math.abs(tokens - 20_001) < 200, String(tokens));
});

test("counts several long texts like their concatenation", async () => {
  const texts = ["word ".repeat(100_000), "", "漢字かな交じり文".repeat(62_500), "🎉".repeat(50_000)];
  const [apart, together] = [await countTokens(texts), await countTokens(texts.join(""))];
  assert.ok(Math.abs(apart - together) < together / 50, `${apart} and ${together}`);
});

const long: [what: string, text: string, minTokens: number, maxTokens: number][] = [
  ["400,000 Chinese and Japanese characters", "漢字かな交じり文".repeat(50_000), 300_000, 500_000],
  ["emoji", "🎉".repeat(200_000), 180_000, 800_000],
  ["words", "word ".repeat(1_000_000), 900_000, 1_100_000],
  ["one letter", "a".repeat(5_000_000), 300_000, 1_500_000],
  ["English words, then Chinese", "word ".repeat(100_000) + "漢字かな交じり文".repeat(62_500), 400_000, 700_000],
];
for (const [what, text, min, max] of long) {
  test(`counts long text approximately within one second of CPU time, yielding every 20 ms: ${what}`, async () => {
    await countTokens("the tokenizer is loaded");
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const began = process.cpuUsage();
    const tokens = await countTokens(text);
    const { user, system } = process.cpuUsage(began);
    clearInterval(timer);
    const ms = (user + system) / 1_000;
    assert.ok(tokens >= min && tokens <= max, String(tokens));
    assert.ok(ms < 1_000, `${ms} ms`);
    assert.ok(turns >= Math.floor(ms / 20) - 1, `${turns} turns in ${ms} ms`);
  });
}
