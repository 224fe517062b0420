import assert from "node:assert/strict";
import { test } from "node:test";
import { modelPrice } from "@uag/catalog/rates";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { billOf, keptRates, priceOf } from "./price.ts";
import type { Terms } from "./store/task.ts";

const terms = (more: Partial<Terms> = {}): Terms => ({
  seconds: 5,
  inputSeconds: 0,
  resolution: "720p",
  aspectRatio: "16:9",
  variants: [],
  ...more,
});
const usd = (value: number): bigint => BigInt(Math.round(value * 1e9));
const bySeconds = modelPrice({ video_seconds: { "720p": 0.1, "1080p": 0.15, "720p-silent": 0.04 } });
const byTokens = modelPrice({ output_tokens: { "720p": 7, "720p-video": 4.3, "480p": 7 } });
const task = (price: typeof bySeconds, more?: Partial<Terms>) => ({
  rates: keptRates(price),
  terms: terms(more),
  priceVersion: price.version,
  holdNanoUsd: usd(1),
});

test("prices a task in advance by seconds, resolution and audio", () => {
  assert.equal(priceOf(terms(), bySeconds).costNanoUsd, usd(0.5));
  assert.equal(priceOf(terms({ resolution: "1080p", seconds: 10 }), bySeconds).costNanoUsd, usd(1.5));
  assert.equal(priceOf(terms({ variants: ["silent"] }), bySeconds).costNanoUsd, usd(0.2));
});

test("bills the provider's count at its resolution", () => {
  const usage = { raw: {}, seconds: 8.0, resolution: "1080p" };
  assert.deepEqual(billOf(task(bySeconds), usage), {
    units: [{ name: "video_seconds:1080p", quantity: 8n }],
    costNanoUsd: usd(1.2),
    pricing: Pricing.EXACT,
    provisional: undefined,
  });
});

test("bills a task without a count by the requested terms, and marks it as an estimate", () => {
  const bill = billOf(task(bySeconds), undefined);
  assert.deepEqual([bill.costNanoUsd, bill.pricing], [usd(0.5), Pricing.ESTIMATED]);
});

test("charges the hold for a resolution without a price, and for usage that cannot be right", () => {
  const unpriced = billOf(task(bySeconds), { raw: {}, seconds: 5, resolution: "480p" });
  assert.deepEqual([unpriced.pricing, unpriced.costNanoUsd], [Pricing.UNPRICED, usd(1)]);
  const huge = billOf(task(bySeconds), { raw: {}, seconds: 9e15, resolution: "720p" });
  assert.deepEqual([huge.pricing, huge.costNanoUsd, huge.provisional], [Pricing.UNPRICED, usd(1), "implausible_usage"]);
});

test("bills a count of zero by the requested terms: a video has a length", () => {
  const bill = billOf(task(bySeconds), { raw: { duration: 0 }, seconds: 0, resolution: "720p" });
  assert.deepEqual([bill.costNanoUsd, bill.pricing], [usd(0.5), Pricing.ESTIMATED]);
});

test("charges the hold for a counter without a price", () => {
  const usage = { raw: { duration: 5, video_count: 1, searches_count: 3 }, seconds: 5, resolution: "720p" };
  const bill = billOf(task(bySeconds), usage);
  assert.deepEqual([bill.costNanoUsd, bill.pricing, bill.provisional], [usd(1), Pricing.UNPRICED, "unpriced_units"]);
});

test("bills tokens as counted, and holds at least those of the largest frame", () => {
  const { costNanoUsd, pricing } = billOf(task(byTokens), { raw: {}, tokens: 108_900 });
  assert.deepEqual([costNanoUsd, pricing], [762_300_000n, Pricing.EXACT]);
  const held = priceOf(terms(), byTokens).costNanoUsd;
  assert.ok(held >= costNanoUsd && held < (costNanoUsd * 11n) / 10n, String(held));
});

test("prices a reference video separately, and holds its maximum length", () => {
  const withVideo = { variants: ["video"], inputSeconds: 30 };
  assert.equal(billOf(task(byTokens, withVideo), { raw: {}, tokens: 1_000_000 }).costNanoUsd, usd(4.3));
  assert.ok(priceOf(terms(withVideo), byTokens).costNanoUsd > (5n * priceOf(terms(), byTokens).costNanoUsd) / 2n);
});

test("holds and bills the input images of a model that has a price for them", () => {
  const price = modelPrice({ video_seconds: { "720p": 0.1 }, input_images: 0.002 });
  const images = { inputImages: 3 };
  assert.equal(priceOf(terms(images), price).costNanoUsd, usd(0.506));
  const usage = { raw: {}, seconds: 5, resolution: "720p" };
  for (const reported of [usage, undefined])
    assert.equal(billOf(task(price, images), reported).costNanoUsd, usd(0.506));
  assert.equal(billOf(task(bySeconds, images), usage).costNanoUsd, usd(0.5), "a model without a price for them");
});
