import assert from "node:assert/strict";
import { test } from "node:test";
import { modelPrice } from "@uag/catalog/rates";
import { testModel } from "../../test/support.ts";
import { thoughtUnitOf, tokensOfUsage, unitsOfUsage, usageWithReasoningInside } from "./usage.ts";

type Golden = [what: string, usage: unknown, units: Record<string, number> | undefined];
const golden: Golden[] = [
  ["plain", { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 }, { input_tokens: 9, output_tokens: 12 }],
  [
    "cached and reasoning tokens as parts of the totals",
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0, rejected_prediction_tokens: 0 },
    },
    { input_tokens: 86, cached_input_tokens: 1920, output_tokens: 300 },
  ],
  [
    "reasoning tokens only",
    { prompt_tokens: 20, completion_tokens: 64, total_tokens: 84, completion_tokens_details: { reasoning_tokens: 64 } },
    { input_tokens: 20, output_tokens: 64 },
  ],
  [
    "reasoning in addition to the completion, as xAI's total shows",
    { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 94 } },
    { input_tokens: 32, output_tokens: 103 },
  ],
  [
    "audio in and out",
    {
      prompt_tokens: 120,
      completion_tokens: 90,
      total_tokens: 210,
      prompt_tokens_details: { audio_tokens: 100, text_tokens: 20 },
      completion_tokens_details: { audio_tokens: 80, text_tokens: 10 },
    },
    { input_tokens: 20, audio_input_tokens: 100, output_tokens: 10, audio_output_tokens: 80 },
  ],
  [
    "video input in DashScope's form",
    {
      prompt_tokens: 207,
      completion_tokens: 103,
      prompt_tokens_details: { text_tokens: 20, video_tokens: 187 },
      completion_tokens_details: { text_tokens: 23, audio_tokens: 80 },
    },
    { input_tokens: 20, video_input_tokens: 187, output_tokens: 23, audio_output_tokens: 80 },
  ],
  [
    "cache writes",
    { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 80 } },
    { input_tokens: 10, cached_input_tokens: 10, cache_write_5m_tokens: 80, output_tokens: 1 },
  ],
  [
    "DashScope's name for cache writes",
    { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cache_creation_input_tokens: 80 } },
    { input_tokens: 20, cache_write_5m_tokens: 80, output_tokens: 1 },
  ],
  [
    "DeepSeek's names for cached tokens",
    { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { input_tokens: 36, cached_input_tokens: 64, output_tokens: 1 },
  ],
  [
    "parts above their total",
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 8, audio_tokens: 8 } },
    { cached_input_tokens: 8, audio_input_tokens: 2, output_tokens: 1 },
  ],
  [
    "details that are null",
    { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: null, completion_tokens_details: null },
    { input_tokens: 1, output_tokens: 1 },
  ],
  ["a response without tokens", { prompt_tokens: 7, completion_tokens: 0 }, { input_tokens: 7 }],
  ["a prompt only, with a total", { prompt_tokens: 7, total_tokens: 7 }, { input_tokens: 7 }],
  [
    "a total that implies the missing count",
    { prompt_tokens: 7, total_tokens: 9 },
    { input_tokens: 7, output_tokens: 2 },
  ],
  [
    "Mistral's names for cached tokens",
    { prompt_tokens: 10, completion_tokens: 1, num_cached_tokens: 4, prompt_audio_seconds: {} },
    { input_tokens: 6, cached_input_tokens: 4, output_tokens: 1 },
  ],
  [
    "counters without a unit of ours",
    {
      prompt_tokens: 10,
      completion_tokens: 1,
      total_tokens: 11,
      num_search_queries: 2,
      citation_tokens: 30,
      server_tool_use: { web_search_requests: 1 },
      cost: 3,
      queue_time: 1,
      cost_in_usd_ticks: 9,
      search_context_size: "low",
    },
    { input_tokens: 10, output_tokens: 1, num_search_queries: 2, citation_tokens: 30, web_search_requests: 1 },
  ],
  ["null", null, undefined],
  ["no counts", {}, undefined],
  ["zeros, which count as no report", { prompt_tokens: 0, completion_tokens: 0 }, undefined],
  ["negative", { prompt_tokens: -5, completion_tokens: 3 }, undefined],
  ["text", { prompt_tokens: "5", completion_tokens: 3 }, undefined],
  ["fractions", { prompt_tokens: 5.5, completion_tokens: 3 }, undefined],
  ["numbers too large to count", { prompt_tokens: 1e300, completion_tokens: 3 }, undefined],
  ["a prompt without a completion", { prompt_tokens: 5 }, undefined],
];
for (const [what, usage, units] of golden) {
  test(`splits usage into units: ${what}`, () => {
    const found = unitsOfUsage(usage);
    const byName = found === undefined ? undefined : Object.fromEntries(found.map((u) => [u.name, Number(u.quantity)]));
    assert.deepEqual(byName, units);
  });
}

test("bills the output after thinking as a unit of its own only if that unit has a price", () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 30,
    total_tokens: 40,
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const apart = thoughtUnitOf({ price: modelPrice({ output_tokens: 1, thinking_output_tokens: 4 }) });
  const units = unitsOfUsage(usage, apart) ?? assert.fail("nothing was counted");
  assert.deepEqual(
    units.map(({ name, quantity }) => [name, Number(quantity)]),
    [
      ["input_tokens", 10],
      ["thinking_output_tokens", 30],
    ],
  );
  assert.equal(tokensOfUsage(usage, units).output, 30);
  assert.deepEqual(unitsOfUsage({ ...usage, completion_tokens_details: {} }, apart)?.at(-1)?.name, "output_tokens");
  assert.equal(thoughtUnitOf(testModel()), "output_tokens");
});

test("reports reasoning that a vendor counts separately as part of the completion", () => {
  const beside = {
    prompt_tokens: 11,
    completion_tokens: 0,
    total_tokens: 31,
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  assert.deepEqual(usageWithReasoningInside(beside), { ...beside, completion_tokens: 20 });
  assert.equal(usageWithReasoningInside({ ...beside, completion_tokens: 20 }), undefined);
  assert.equal(usageWithReasoningInside({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }), undefined);
});
