import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "@uag/harness/testing/seeded-random";
import { Deadlines, type Timed } from "./deadlines.ts";

class Probe implements Timed {
  dueAt = 0;
  slot = -1;
  wanted = 0;
  calls: number[] = [];
  onDue(now: number): void {
    this.calls.push(now);
  }
}

for (const seed of seeds(5)) {
  test(`due times fire once, never early and at most 20 ms late, also beyond one turn of the wheel (TEST_SEED=${seed})`, () => {
    const random = new Random(seed);
    const wheel = new Deadlines();
    const start = performance.now();
    const probes = Array.from({ length: 500 }, () => new Probe());
    for (const probe of probes) {
      probe.wanted = start + 1_000 + random.int(random.pick([50, 5_000, 60_000]));
      if (random.chance(0.3)) wheel.set(probe, start + random.int(90_000));
      wheel.set(probe, probe.wanted);
    }
    const cleared = probes.filter(() => random.chance(0.2));
    for (const probe of cleared) wheel.clear(probe);
    for (let now = start + 500; now < start + 100_000; now += 1 + random.int(10)) wheel.advance(now);
    for (const probe of probes) {
      if (cleared.includes(probe)) {
        assert.deepEqual(probe.calls, []);
        continue;
      }
      assert.equal(probe.calls.length, 1);
      const late = (probe.calls[0] as number) - probe.wanted;
      assert.ok(late >= 0 && late <= 31, `late by ${late} ms`);
    }
  });
}

test("a due time in the past fires at the next tick, and so does one set from within another", () => {
  const wheel = new Deadlines();
  const start = performance.now();
  const [first, second] = [new Probe(), new Probe()];
  first.onDue = (now) => {
    first.calls.push(now);
    wheel.set(second, now - 5);
  };
  wheel.set(first, start - 1_000);
  wheel.advance(start + 40);
  wheel.advance(start + 80);
  wheel.advance(start + 120);
  assert.deepEqual([first.calls.length, second.calls.length], [1, 1]);
});
