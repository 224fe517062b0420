import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelPrice } from "@uag/catalog/rates";
import { sumsOfDays } from "./days.ts";
import { type Entry, oneRequest, type Tokens } from "./entry.ts";
import type { Cause } from "./explain.ts";
import { match } from "./match.ts";
import { compare } from "./report.ts";

const none: Tokens = {
  input_tokens: 0n,
  cached_input_tokens: 0n,
  cache_write_5m_tokens: 0n,
  cache_write_1h_tokens: 0n,
  output_tokens: 0n,
};
const base = { input_tokens: 1, output_tokens: 2, cached_input_tokens: 0.1 };
/** 1, 2 and 0.1 USD per million tokens; above 1,000 tokens of input twice as much. */
const prices = new Map([
  [
    "m",
    modelPrice({
      ...base,
      tiers: [{ above_input_tokens: 1_000, input_tokens: 2, output_tokens: 4, cached_input_tokens: 0.2 }],
    }),
  ],
]);

let made = 0;
const entry = (costNanoUsd: bigint, tokens: Partial<Tokens>, more: Partial<Entry> = {}): Entry => {
  const id = `e${++made}`;
  const fixed = { ...oneRequest, keyId: "key_1", model: "m", startedMs: 0 };
  return { id, ids: [id], ...fixed, tokens: { ...none, ...tokens }, costNanoUsd, ...more };
};

const partsOf = (ours: Entry[], theirs: Entry[]): [Cause, bigint][][] =>
  compare(match(ours, theirs, 1_000), { prices, withinMs: 1_000, roundingNanoUsd: 1n }).map(({ parts }) =>
    parts.map(({ cause, nanoUsd }) => [cause, nanoUsd]),
  );

describe("the comparison with another gateway's spend log", () => {
  const plain = { input_tokens: 100n, output_tokens: 10n };

  test("equal bills have no difference, and the last nano-dollar is rounding", () => {
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(120_000n, plain)]), [[]]);
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(119_999n, plain)]), [[["rounding", -1n]]]);
  });

  test("each difference is split into tokens, cached tokens, tier and price, which add up to it", () => {
    const cached = { input_tokens: 20n, cached_input_tokens: 80n, output_tokens: 10n };
    assert.deepEqual(partsOf([entry(48_000n, cached)], [entry(120_000n, plain)]), [[["cache", 72_000n]]]);
    const longer = { input_tokens: 100n, output_tokens: 15n };
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(130_000n, longer)]), [[["tokens", 10_000n]]]);
    const long = { input_tokens: 2_000n, output_tokens: 10n };
    assert.deepEqual(partsOf([entry(4_040_000n, long)], [entry(2_020_000n, long)]), [[["tier", -2_020_000n]]]);
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(240_000n, plain)]), [[["price", 120_000n]]]);
    assert.deepEqual(partsOf([entry(48_000n, cached)], [entry(260_000n, longer)]), [
      [
        ["tokens", 10_000n],
        ["cache", 72_000n],
        ["price", 130_000n],
      ],
    ]);
  });

  test("a request that only one gateway has is missing, or doubled if it repeats one that both have", () => {
    const first = entry(120_000n, plain);
    assert.deepEqual(partsOf([], [first]), [[["missing_here", 120_000n]]]);
    assert.deepEqual(partsOf([first], []), [[["missing_there", -120_000n]]]);
    assert.deepEqual(partsOf([first], [entry(120_000n, plain), entry(120_000n, plain, { startedMs: 9 })]), [
      [],
      [["doubled_there", 120_000n]],
    ]);
    const later = entry(120_000n, plain, { startedMs: 60_000 });
    assert.deepEqual(partsOf([first], [entry(120_000n, plain), later]), [[], [["missing_here", 120_000n]]]);
  });

  test("requests are paired by a common id, else by key, model, tokens and time", () => {
    const [a, b] = [entry(120_000n, plain), entry(140_000n, { input_tokens: 100n, output_tokens: 20n })];
    const same = entry(140_000n, b.tokens, { startedMs: 500_000, ids: [b.id], keyId: undefined });
    const { pairs, oursOnly, theirsOnly } = match([a, b], [same, entry(120_000n, plain, { startedMs: 900 })], 1_000);
    assert.deepEqual(
      pairs.map(({ ours }) => ours.id),
      [b.id, a.id],
    );
    assert.deepEqual([oursOnly, theirsOnly], [[], []]);
    const cached = entry(60_000n, { input_tokens: 20n, cached_input_tokens: 80n, output_tokens: 10n });
    const theirs = entry(60_000n, cached.tokens, { startedMs: 5 });
    assert.deepEqual(
      match([a, cached], [theirs], 1_000).pairs.map(({ ours }) => ours.id),
      [cached.id],
      "of two with the same counts the one with the same cached ones",
    );
    const otherKey = entry(120_000n, plain, { keyId: "key_2" });
    assert.equal(match([a], [otherKey], 1_000).pairs.length, 0);
  });

  test("a response of the other gateway's own cache is not a difference of price", () => {
    const free = entry(0n, plain, { unbilled: "its response was in LiteLLM's cache" });
    assert.deepEqual(partsOf([entry(120_000n, plain)], [free]), [[["unbilled", -120_000n]]]);
  });

  test("the ratio of a key's group is a part of its own, beside the price and what it rounds", () => {
    const half = { ratio: 0.5 };
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(60_000n, plain, half)]), [[["ratio", -60_000n]]]);
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(60_001n, plain, half)]), [
      [
        ["rounding", 2n],
        ["ratio", -60_001n],
      ],
    ]);
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(150_000n, plain, half)]), [
      [
        ["price", 180_000n],
        ["ratio", -150_000n],
      ],
    ]);
    assert.deepEqual(partsOf([entry(120_000n, plain)], [entry(0n, plain, { ratio: 0 })]), [[["ratio", -120_000n]]]);
  });

  test("requests of a day and a model are summed, and the sums are paired and explained like requests", () => {
    const hour = 3_600_000;
    const longer = { input_tokens: 100n, output_tokens: 15n };
    const ours = [
      entry(120_000n, plain, { startedMs: hour }),
      entry(130_000n, longer, { startedMs: 23 * hour, keyId: "key_2" }),
      entry(120_000n, plain, { startedMs: 25 * hour }),
    ];
    const theirs = entry(240_000n, { input_tokens: 200n, output_tokens: 20n }, { requests: 2n });
    const sums = sumsOfDays(ours);
    assert.deepEqual(
      sums.map(({ id, requests, costNanoUsd }) => [id, requests, costNanoUsd]),
      [
        ["1970-01-01 m", 2n, 250_000n],
        ["1970-01-02 m", 1n, 120_000n],
      ],
    );
    assert.deepEqual(partsOf(sums, sumsOfDays([theirs])), [[["tokens", -10_000n]], [["missing_there", -120_000n]]]);
  });
});
