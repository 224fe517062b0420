import assert from "node:assert/strict";
import { test } from "node:test";
import { unitsAsNumbers } from "../../test/golden.ts";
import { geminiUsage } from "./usage.ts";

type Golden = [what: string, usage: Record<string, unknown>, units: Record<string, number> | undefined];
const counts = (...list: [string, number][]) => list.map(([modality, tokenCount]) => ({ modality, tokenCount }));

const golden: Golden[] = [
  [
    "thoughts, counted separately from the candidates",
    { promptTokenCount: 9, candidatesTokenCount: 12, thoughtsTokenCount: 30, totalTokenCount: 51 },
    { input_tokens: 9, output_tokens: 42 },
  ],
  [
    "cached tokens, included in the prompt",
    { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 1, totalTokenCount: 101 },
    { cached_input_tokens: 60, input_tokens: 40, output_tokens: 1 },
  ],
  [
    "each kind of input separately, cached audio included",
    {
      promptTokenCount: 1000,
      cachedContentTokenCount: 150,
      candidatesTokenCount: 5,
      totalTokenCount: 1005,
      promptTokensDetails: counts(["TEXT", 100], ["IMAGE", 258], ["AUDIO", 400], ["VIDEO", 200], ["DOCUMENT", 42]),
      cacheTokensDetails: counts(["AUDIO", 100], ["TEXT", 50]),
    },
    {
      image_input_tokens: 258,
      video_input_tokens: 200,
      cached_audio_input_tokens: 100,
      audio_input_tokens: 300,
      cached_input_tokens: 50,
      input_tokens: 92,
      output_tokens: 5,
    },
  ],
  [
    "input added by tools",
    { promptTokenCount: 10, toolUsePromptTokenCount: 90, candidatesTokenCount: 5, totalTokenCount: 105 },
    { input_tokens: 100, output_tokens: 5 },
  ],
  [
    "generated images",
    {
      promptTokenCount: 10,
      candidatesTokenCount: 1300,
      totalTokenCount: 1310,
      candidatesTokensDetails: counts(["IMAGE", 1290]),
    },
    { input_tokens: 10, image_output_tokens: 1290, output_tokens: 10 },
  ],
  [
    "a response of thoughts only",
    { promptTokenCount: 9, thoughtsTokenCount: 64, totalTokenCount: 73 },
    { input_tokens: 9, output_tokens: 64 },
  ],
  [
    "a total above the sum of its parts",
    { promptTokenCount: 9, totalTokenCount: 20 },
    { input_tokens: 9, output_tokens: 11 },
  ],
  [
    "parts above their total",
    { promptTokenCount: 10, cachedContentTokenCount: 50, promptTokensDetails: counts(["AUDIO", 99]) },
    { cached_input_tokens: 10 },
  ],
  ["the prompt of a blocked request", { promptTokenCount: 9, totalTokenCount: 9 }, { input_tokens: 9 }],
  ["nothing", {}, undefined],
  ["no prompt tokens", { candidatesTokenCount: 4 }, undefined],
  ["text", { promptTokenCount: "9" }, undefined],
];

for (const [what, usage, units] of golden) {
  test(`reads Gemini's usage: ${what}`, () => {
    const found = geminiUsage(usage);
    assert.deepEqual(found && unitsAsNumbers(found.units), units);
    if (found === undefined) return;
    const { input, cacheRead, output } = found.tokens;
    const sum = Object.values(units ?? {}).reduce((total, count) => total + count, 0);
    assert.equal(input + cacheRead + output, sum, "the client's usage equals the billed usage");
  });
}
