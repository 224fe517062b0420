import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "./price.ts";
import { modelPrice } from "./rates.ts";
import { unpricedCosts, upstreamCost } from "./upstream-cost.ts";

const listed = modelPrice({
  input_tokens: 2,
  cached_input_tokens: 0.2,
  output_tokens: 8,
  tiers: [{ above_input_tokens: 10, input_tokens: 4, cached_input_tokens: 0.4, output_tokens: 16 }],
});
const usage = [
  { name: "input_tokens", quantity: 20n },
  { name: "cached_input_tokens", quantity: 10n },
  { name: "output_tokens", quantity: 5n },
];
const costOf = (own?: Parameters<typeof upstreamCost>[0]): bigint =>
  price(usage, upstreamCost(own, listed).price).costNanoUsd;

test("an upstream costs its own rates, and the model's price where it has none", () => {
  assert.equal(costOf(), 20n * 4_000n + 10n * 400n + 5n * 16_000n);
  assert.equal(costOf({ output_tokens: 6 }), 20n * 2_000n + 10n * 200n + 5n * 6_000n);
});

test("upstreams are ordered by three parts of input and one of output, or by all rates of a model without tokens", () => {
  const level = (inputTokens: number, outputTokens: number) =>
    upstreamCost({ input_tokens: inputTokens, output_tokens: outputTokens }, listed).level;
  assert.ok(level(1, 10) < level(2, 8));
  assert.ok(level(2, 7) < upstreamCost(undefined, listed).level);
  const images = modelPrice({ images: { low: 0.01, high: 0.04 } });
  assert.ok(upstreamCost({ images: { low: 0.01, high: 0.03 } }, images).level < upstreamCost(undefined, images).level);
});

test("a cost in a unit that the model has no price for is a fault", () => {
  assert.deepEqual(unpricedCosts({ input_tokens: 1, images: 2 }, { input_tokens: 3 }), ["images"]);
  assert.deepEqual(unpricedCosts(undefined, {}), []);
});
