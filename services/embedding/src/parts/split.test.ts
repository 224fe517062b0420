import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { commonLimits, splitInputs, tokenBound } from "./split.ts";

test("the parts add up to the inputs, and no part with several inputs exceeds a limit", () => {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (let round = 0; round < 500; round++) {
    const inputs = Array.from({ length: 1 + random(60) }, (_, index) => index);
    const bounds = inputs.map(() => 1 + random(50));
    const limits = { items: 1 + random(12), tokens: 1 + random(120) };
    const parts = splitInputs(inputs, bounds, limits);
    assert.deepEqual(parts.flat(), inputs);
    for (const part of parts) {
      const tokens = part.reduce((sum, index) => sum + (bounds[index] as number), 0);
      assert.ok(part.length > 0 && part.length <= limits.items);
      assert.ok(tokens <= limits.tokens || part.length === 1);
    }
  }
});

test("uses as few parts as possible: 205 for 2,048 inputs at ten per call", () => {
  const inputs = Array.from({ length: 2_048 }, () => "x");
  const parts = splitInputs(
    inputs,
    inputs.map(() => 1),
    { items: 10, tokens: 81_920 },
  );
  assert.deepEqual([parts.length, parts.at(-1)?.length], [205, 8]);
  assert.equal(
    splitInputs(
      inputs,
      inputs.map(() => 1),
      { items: 2_048, tokens: 3_000 },
    )[0],
    inputs,
  );
});

test("bounds a text's tokens by its bytes and the context", () => {
  assert.equal(tokenBound("abc", 1_000), 7);
  assert.equal(tokenBound("你好", 1_000), 10);
  assert.equal(tokenBound("a".repeat(2_000), 1_000), 1_000);
  assert.equal(tokenBound([1, 2, 3], 1_000), 3);
});

test("a part fits every upstream of the model", () => {
  const upstreams = [
    { batch: { items: 10, tokens: 500 } },
    { batch: { items: 100, tokens: 50 } },
  ] as unknown as Upstream[];
  assert.deepEqual(commonLimits(upstreams), { items: 10, tokens: 50 });
});
