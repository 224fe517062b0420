import assert from "node:assert/strict";
import { test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { bound, cacheSaving, dearestUnit, type ModelPrice, price } from "./price.ts";
import { modelPrice } from "./rates.ts";

const mini = modelPrice({ input_tokens: 0.25, cached_input_tokens: 0.025, output_tokens: 2 });
const audio = modelPrice({ input_tokens: 2.5, output_tokens: 10, audio_input_tokens: 32, audio_output_tokens: 64 });
const qwen = modelPrice({ input_tokens: 0.4, output_tokens: 1.2, thinking_output_tokens: 4 });
const free = modelPrice({ input_tokens: 0, output_tokens: 0 });
const anthropic = modelPrice({
  input_tokens: 3,
  cached_input_tokens: 0.3,
  cache_write_5m_tokens: 3.75,
  cache_write_1h_tokens: 6,
  output_tokens: 15,
});
const tiered = modelPrice({
  input_tokens: 2.5,
  cached_input_tokens: 0.25,
  output_tokens: 15,
  tiers: [
    { above_input_tokens: 272_000, input_tokens: 5, cached_input_tokens: 0.5, output_tokens: 22.5 },
    { above_input_tokens: 800_000, input_tokens: 7, cached_input_tokens: 0.7, output_tokens: 30 },
  ],
});
const video = modelPrice({ video_seconds: { "720p": 0.1, "1080p": 0.15 } });
const speech = modelPrice({ characters: 115 });
const smallest = modelPrice({ input_tokens: 0.000_000_001, output_tokens: 0.000_001 });

type Golden = [what: string, price: ModelPrice, units: Record<string, number>, nanoUsd: bigint, pricing?: Pricing];
const golden: Golden[] = [
  ["no usage", mini, {}, 0n],
  ["a million of each", mini, { input_tokens: 1e6, cached_input_tokens: 1e6, output_tokens: 1e6 }, 2_275_000_000n],
  ["a small chat", mini, { input_tokens: 9, output_tokens: 12 }, 26_250n],
  ["cached input at its own rate", mini, { input_tokens: 1, cached_input_tokens: 1 }, 275n],
  ["one token", mini, { output_tokens: 1 }, 2_000n],
  ["rounding up", smallest, { input_tokens: 1 }, 1n],
  ["a sum that is rounded once", smallest, { input_tokens: 500_000, output_tokens: 500 }, 1n],
  ["a whole number, which is not rounded", smallest, { input_tokens: 1_000_000 }, 1n],
  ["one above a whole number", smallest, { input_tokens: 1_000_001 }, 2n],
  ["units with an explicit price of zero", free, { input_tokens: 5, output_tokens: 5 }, 0n],
  ["cache writes", anthropic, { cache_write_5m_tokens: 1000, cache_write_1h_tokens: 1000 }, 9_750_000n],
  ["cached input without a cache price", audio, { cached_input_tokens: 100 }, 250_000n],
  ["image tokens without a price of their own", mini, { image_input_tokens: 765 }, 191_250n],
  ["reasoning without a price of its own", mini, { thinking_output_tokens: 10 }, 20_000n],
  ["output with reasoning at its own rate", qwen, { output_tokens: 5, thinking_output_tokens: 10 }, 46_000n],
  ["audio tokens at their own rates", audio, { audio_input_tokens: 10, audio_output_tokens: 10 }, 960_000n],
  ["audio tokens without a price", mini, { audio_input_tokens: 10 }, 0n, Pricing.UNPRICED],
  ["known units next to an unknown one", mini, { input_tokens: 10, phlogiston: 1 }, 2_500n, Pricing.UNPRICED],
  ["text next to audio without a price", mini, { input_tokens: 10, audio_input_tokens: 1 }, 2_500n, Pricing.UNPRICED],
  ["an unknown unit of quantity zero", mini, { input_tokens: 10, phlogiston: 0 }, 2_500n],
  ["units named like Object's own members", mini, { toString: 1, constructor: 1 }, 0n, Pricing.UNPRICED],
  ["a negative count", mini, { input_tokens: -1, output_tokens: 5 }, 10_000n, Pricing.UNPRICED],
  ["input exactly at a tier's threshold", tiered, { input_tokens: 272_000, output_tokens: 1 }, 680_015_000n],
  ["a whole request above a tier's threshold", tiered, { input_tokens: 272_001, output_tokens: 1 }, 1_360_027_500n],
  [
    "cached input, which counts towards the tier",
    tiered,
    { input_tokens: 1, cached_input_tokens: 272_000 },
    136_005_000n,
  ],
  ["the highest tier that fits", tiered, { input_tokens: 800_001 }, 5_600_007_000n],
  ["output, which does not count towards the tier", tiered, { output_tokens: 900_000 }, 13_500_000_000n],
  ["seconds by resolution", video, { "video_seconds:720p": 5 }, 500_000_000n],
  ["a resolution without a price", video, { "video_seconds:480p": 5 }, 0n, Pricing.UNPRICED],
  ["seconds without their resolution", video, { video_seconds: 5 }, 0n, Pricing.UNPRICED],
  ["characters", speech, { characters: 17 }, 1_955_000n],
];

for (const [what, modelPrice, units, nanoUsd, pricing = Pricing.EXACT] of golden) {
  test(`the price of ${what} is exact to the nano-USD`, () => {
    const list = Object.entries(units).map(([name, quantity]) => ({ name, quantity: BigInt(quantity) }));
    assert.deepEqual(price(list, modelPrice), { costNanoUsd: nanoUsd, pricing });
  });
}

test("computes quantities beyond 2^53 without loss", () => {
  const quantity = 9_007_199_254_740_993n;
  assert.equal(price([{ name: "output_tokens", quantity }], mini).costNanoUsd, quantity * 2_000n);
});

test("the bound is never below the price of any split of the same quantities", () => {
  const anyOf = ["input_tokens", "cached_input_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens"] as const;
  for (const modelPrice of [mini, anthropic, tiered]) {
    for (const input of [1, 271_999, 272_001, 900_000]) {
      const max = bound(
        [
          { quantity: BigInt(input), anyOf },
          { quantity: 77n, anyOf: ["output_tokens"] },
        ],
        modelPrice,
      );
      for (const unit of anyOf) {
        const units = [
          { name: unit, quantity: BigInt(input) },
          { name: "output_tokens", quantity: 77n },
        ];
        assert.ok(price(units, modelPrice).costNanoUsd <= max);
      }
    }
  }
});

test("the version changes with the price and with nothing else", () => {
  const same = modelPrice({ output_tokens: 2, cached_input_tokens: 0.025, input_tokens: 0.25 });
  assert.equal(same.version, mini.version);
  assert.match(mini.version, /^[0-9a-f]{12}$/);
  assert.notEqual(
    modelPrice({ input_tokens: 0.26, cached_input_tokens: 0.025, output_tokens: 2 }).version,
    mini.version,
  );
  assert.notEqual(
    modelPrice({ input_tokens: 2.5, cached_input_tokens: 0.25, output_tokens: 15 }).version,
    tiered.version,
  );
});

test("rejects a quantity that some tier has no price for, instead of holding nothing", () => {
  const images = modelPrice({ images: { "1k": 0.05 } });
  assert.throws(() => bound([{ quantity: 1n, anyOf: ["images"] }], images), { code: "unpriced_model" });
  const gap = modelPrice({ input_tokens: 1, output_tokens: 2, tiers: [{ above_input_tokens: 10, input_tokens: 2 }] });
  assert.throws(() => bound([{ quantity: 1n, anyOf: ["output_tokens"] }], gap), { code: "unpriced_model" });
  assert.equal(bound([{ quantity: 0n, anyOf: ["images"] }], images), 0n);
  assert.equal(bound([{ quantity: 5n, anyOf: ["output_tokens"] }], modelPrice({ output_tokens: 0 })), 0n);
});

test("the unit that costs most is found in any tier, and the first of equal ones", () => {
  assert.equal(
    dearestUnit(["input_tokens", "cached_input_tokens", "cache_write_1h_tokens"], anthropic),
    "cache_write_1h_tokens",
  );
  assert.equal(dearestUnit(["output_tokens", "thinking_output_tokens"], mini), "output_tokens");
  const late = modelPrice({
    input_tokens: 2,
    cache_write_5m_tokens: 1,
    output_tokens: 1,
    tiers: [{ above_input_tokens: 100, input_tokens: 2, cache_write_5m_tokens: 3, output_tokens: 1 }],
  });
  assert.equal(dearestUnit(["input_tokens", "cache_write_5m_tokens"], late), "cache_write_5m_tokens");
});

test("a prompt cache saves the difference to the price of uncached input, in the tier of the request", () => {
  const saved = (units: Record<string, number>, of = tiered) => {
    const used = Object.entries(units).map(([name, quantity]) => ({ name, quantity: BigInt(quantity) }));
    return cacheSaving(used, of);
  };
  assert.deepEqual(saved({ input_tokens: 10, cached_input_tokens: 1_000 }, mini), {
    tokens: 1_000n,
    nanoUsdMillionths: 1_000n * 225_000_000n,
  });
  const long = saved({ input_tokens: 300_000, cached_input_tokens: 100 });
  assert.deepEqual(long, { tokens: 100n, nanoUsdMillionths: 100n * 4_500_000_000n });
  assert.deepEqual(saved({ input_tokens: 10 }, mini), { tokens: 0n, nanoUsdMillionths: 0n });
  assert.deepEqual(saved({ cached_input_tokens: 7 }, modelPrice({ input_tokens: 1 })), {
    tokens: 7n,
    nanoUsdMillionths: 0n,
  });
});
