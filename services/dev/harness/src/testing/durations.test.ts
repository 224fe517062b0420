import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMsOf, Stopwatch } from "./durations.ts";

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a stopwatch ignores time during which the process was suspended", async () => {
  using watch = new Stopwatch();
  await sleep(100);
  const before = watch.ms;
  assert.ok(before >= 50, String(before));
  standStill(500);
  assert.ok(watch.ms - before <= 100, String(watch.ms - before));
});

test("processor time excludes time spent waiting", () => {
  assert.ok(cpuMsOf(() => standStill(300)) < 150);
  const work = () => {
    for (const end = performance.now() + 300; performance.now() < end; );
  };
  assert.ok(cpuMsOf(work) > 0);
});
