import assert from "node:assert/strict";
import { test } from "node:test";
import { binCount, binOf, percentilesOf } from "./histogram.ts";

test("percentiles are within the bins of their durations, and undefined without durations", () => {
  const bins = Array.from({ length: binCount }, () => 0);
  assert.equal(percentilesOf(bins), undefined);
  const times = Array.from({ length: 1_000 }, (_, n) => n + 1);
  for (const ms of times) bins[binOf(ms)] = (bins[binOf(ms)] ?? 0) + 1;
  const found = percentilesOf(bins);
  assert.equal(found?.count, 1_000);
  for (const [rank, value] of [
    [500, found?.p50],
    [950, found?.p95],
    [990, found?.p99],
  ] as const)
    assert.equal(binOf(value ?? 0), binOf(rank), `${rank}: ${value}`);
  bins.fill(0);
  bins[binOf(86_400_000)] = 1;
  assert.equal(percentilesOf(bins)?.p99, 900_000);
});
