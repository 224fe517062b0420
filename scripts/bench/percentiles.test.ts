import assert from "node:assert/strict";
import { test } from "node:test";
import { Samples } from "./percentiles.ts";

test("a percentile is the smallest sample that the given share does not exceed", () => {
  const samples = new Samples();
  for (let value = 100; value >= 1; value--) samples.add(value);
  assert.deepEqual(
    [0, 1, 50, 99, 99.5, 100].map((percent) => samples.percentile(percent)),
    [1, 1, 50, 99, 100, 100],
  );
});

test("samples from several runs count as one set, even if added after a percentile was computed", () => {
  const samples = new Samples();
  samples.addAll(Float64Array.from({ length: 3_000 }, (_, index) => index));
  assert.equal(samples.percentile(100), 2_999);
  samples.add(5_000);
  samples.addAll(Float64Array.of(-1));
  assert.equal(samples.count, 3_002);
  assert.equal(samples.percentile(0), -1);
  assert.equal(samples.percentile(100), 5_000);
  assert.equal(samples.values().length, 3_002);
});

test("without samples the percentile is NaN", () => {
  assert.equal(new Samples().percentile(50), Number.NaN);
});
