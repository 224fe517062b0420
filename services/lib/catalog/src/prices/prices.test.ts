import assert from "node:assert/strict";
import { test } from "node:test";
import { readRows } from "../parse.ts";
import { secondLooks, withPriceVersion } from "./accept.ts";
import { compareModel, latestPrices, needsReview } from "./compare.ts";
import { genaiPrices } from "./genai-prices.ts";
import { liteLlmPrices } from "./litellm.ts";
import { quoteOf, rowOf, usdDecimal } from "./quote.ts";
import { textPriceOf } from "./text-price.ts";

const liteLlm = (fields: string) => liteLlmPrices(`{"m":{${fields},"source":"https://vendor"}}`, "litellm 1");
const genai = (prices: object | object[], day = "2026-11-24") =>
  genaiPrices(
    JSON.stringify([
      {
        id: "openai",
        pricing_urls: ["https://list"],
        models: [{ id: "x", match: { or: [{ equals: "m" }] }, prices }],
      },
    ]),
    "genai-prices 1",
    day,
  );
const ours = {
  id: "m",
  price: { input_tokens: 0.1, cached_input_tokens: 0.025, output_tokens: 0.4 },
  upstreams: [{ provider: "openai" }],
};
const findings = (...sources: Parameters<typeof compareModel>[1][number][]) =>
  Object.fromEntries(compareModel(ours, sources).differences.map(({ key, finding }) => [key, finding]));

test("reads prices for one token exactly, in any notation and by tier", () => {
  const source = liteLlm(
    '"input_cost_per_token":1e-07,"cache_read_input_token_cost":2.5E-8,"output_cost_per_token":0.0000004,"input_cost_per_token_above_272k_tokens":2e-7,"input_cost_per_token_above_272k_tokens_batches":9',
  );
  const quote = source.find("openai", "m")?.quote ?? new Map();
  assert.deepEqual(Object.fromEntries(quote), {
    input_tokens: 100_000_000n,
    cached_input_tokens: 25_000_000n,
    output_tokens: 400_000_000n,
    "input_tokens above 272000": 200_000_000n,
  });
  assert.equal(source.find("acme", "m"), undefined);
});

test("takes the price that is in force on the day, and that of busy hours", () => {
  const at = (day: string) =>
    genai(
      [
        { prices: { input_mtok: "1" } },
        {
          constraint: { start_date: "2026-11-01" },
          prices: { input_mtok: { base: "2", tiers: [{ start: 200000, price: "4" }] } },
        },
      ],
      day,
    ).find("openai", "m")?.quote;
  assert.equal(at("2026-10-31")?.get("input_tokens"), 1_000_000_000n);
  assert.equal(at("2026-11-01")?.get("input_tokens above 200000"), 4_000_000_000n);
  const busy = genai([
    { prices: { input_mtok: "1" } },
    { constraint: { start_time: {} }, prices: { input_mtok: "3" } },
  ]);
  assert.equal(busy.find("openai", "m")?.quote.get("input_tokens"), 3_000_000_000n);
});

test("lists the models of a provider that generate text, with their limits and a price that can be held for", () => {
  const chat = { mode: "chat", litellm_provider: "groq", max_input_tokens: 131_072, max_output_tokens: "8192" };
  const rates = { input_cost_per_token: 1e-7, output_cost_per_token: 4e-7, cache_read_input_token_cost: 5e-8 };
  const above = { input_cost_per_token_above_200k_tokens: 2e-7, output_cost_per_token_above_200k_tokens: 8e-7 };
  const source = liteLlmPrices(
    JSON.stringify({
      "groq/a": { ...chat, ...rates, ...above, output_cost_per_image: 1 },
      "groq/b": { ...chat, mode: "embedding" },
      "groq/c": { ...chat, litellm_provider: "other" },
      d: chat,
    }),
    "litellm 1",
  );
  assert.deepEqual(source.models("groq"), ["a"]);
  const found = source.find("groq", "a");
  assert.deepEqual([found?.contextTokens, found?.maxOutputTokens], [131_072, 8_192]);
  assert.deepEqual(textPriceOf(found?.quote ?? new Map()), {
    input_tokens: 0.1,
    output_tokens: 0.4,
    tiers: [{ above_input_tokens: 200_000, input_tokens: 0.2, output_tokens: 0.8 }],
  });
  assert.equal(textPriceOf(new Map([["input_tokens", 1n]])), undefined);
});

test("refuses a table of another form", () => {
  assert.throws(() => liteLlmPrices("[1]", "x"), /not LiteLLM's table/);
  assert.throws(() => genaiPrices('{"a":1}', "x", "2026-11-24"), /not genai-prices' table/);
});

test("distinguishes an agreed change from a disagreement and from a single source", () => {
  const same = { input_mtok: "0.1", output_mtok: "0.5", web_searches_kcount: "10" };
  const table = liteLlm(
    '"input_cost_per_token":1e-7,"output_cost_per_token":5e-7,"search_context_cost_per_query":{"search_context_size_medium":0.01}',
  );
  assert.deepEqual(findings(table, genai(same)), {
    input_tokens: "same",
    cached_input_tokens: "unknown",
    output_tokens: "changed",
    web_searches: "missing",
  });
  assert.equal(findings(table, genai({ ...same, output_mtok: "0.6" }))["output_tokens"], "disagree");
  assert.equal(findings(table, genai({ input_mtok: "0.1" }))["output_tokens"], "one_source");
  assert.equal(compareModel(ours, [table]).link, "https://vendor");
});

test("requires a second look only at a price that doubles or falls by half", () => {
  const before = quoteOf({ input_tokens: 1, output_tokens: 4 });
  const looks = (price: object) => secondLooks(before, quoteOf(price));
  assert.deepEqual(looks({ input_tokens: 1.99, output_tokens: 2.01 }), []);
  assert.equal(looks({ input_tokens: 2, output_tokens: 2 }).length, 2);
});

test("a price written into the catalogue reads back unchanged", () => {
  const price = {
    input_tokens: 0.000000001,
    images: { "1k": 0.02, "2k": 0.03 },
    tiers: [{ above_input_tokens: 5, input_tokens: 2 }],
  };
  assert.deepEqual(rowOf(quoteOf(price)), price);
  assert.deepEqual(
    ["0", "100", "2500000000"].map((nano) => usdDecimal(BigInt(nano))),
    ["0", "0.0000001", "2.5"],
  );
});

const catalog = `# kept
providers:
  p: { protocol: openai, base_url: "http://x", api_key: k }
models:
  - { id: e, owned_by: x, created: 0, operations: [embeddings], context_tokens: 9, embedding: { dimensions: 8 }, price: { input_tokens: 1 }, upstreams: [{ provider: p, batch: { items: 1, tokens: 9 } }] }
`;
const version = (effectiveFrom: string, usd = 2) => ({
  model: "e",
  effective_from: effectiveFrom,
  accepted_by: "ada",
  reason: "vendor: https://vendor # 1",
  price: { input_tokens: usd },
});

test("adds accepted prices at the end of the catalogue and leaves the rest as it is", () => {
  const once = withPriceVersion(catalog, version("2026-11-24T00:00:00Z"));
  const twice = withPriceVersion(once, version("2026-11-25T00:00:00Z", 3));
  assert.ok(twice.startsWith(once.trimEnd()) && once.startsWith(catalog.trimEnd()));
  assert.deepEqual(readRows(twice).price_versions, [
    version("2026-11-24T00:00:00Z"),
    version("2026-11-25T00:00:00Z", 3),
  ]);
});

test("rejects an accepted price without a hold, out of order, or of an unknown model", () => {
  const refused = (row: object, expected: RegExp) =>
    assert.throws(() => withPriceVersion(catalog, { ...version("2026-11-24T00:00:00Z"), ...row }), expected);
  refused({ price: { output_tokens: 1 } }, /no sizing bounds output_tokens/);
  refused({ model: "unlisted" }, /unknown model unlisted/);
  const once = withPriceVersion(catalog, version("2026-11-24T00:00:00Z"));
  assert.throws(() => withPriceVersion(once, version("2026-11-24T00:00:00Z")), /effective_from must be after/);
  assert.throws(() => withPriceVersion(`${once}\nx: 1\n`, version("2026-11-26T00:00:00Z")), /must be the last key/);
});

test("omits a reviewed difference until the tables' price changes", () => {
  const review = {
    models: ["m"],
    unit: "web_searches",
    price: 0.01,
    reviewed: "2026-11-25",
    source: "https://v",
    reason: "r",
  };
  const tables = (usd: number) => {
    const fields = `"input_cost_per_token":1e-07,"search_context_cost_per_query":{"search_context_size_medium":${usd}}`;
    const table = liteLlm(fields);
    return [table, { ...table, name: "other" }];
  };
  const listed = (usd: number, priceReviews = [review]) =>
    latestPrices({ models: [ours], price_reviews: priceReviews })
      .flatMap((model) => compareModel(model, tables(usd)).differences)
      .filter(needsReview)
      .map(({ key }) => key);
  assert.deepEqual(listed(0.01, []), ["web_searches"]);
  assert.deepEqual(listed(0.01), []);
  assert.deepEqual(listed(0.02), ["web_searches"]);
});
