import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { WindowPermits, windowMs } from "./window-permits.ts";

/** The most uses within any 60 s. */
function busiestMinute(uses: { at: number; count: number }[]): number {
  let max = 0;
  for (const { at } of uses) {
    const sum = uses
      .filter((use) => use.at > at - windowMs && use.at <= at)
      .reduce((total, use) => total + use.count, 0);
    max = Math.max(max, sum);
  }
  return max;
}

test("replicas that exchange permits never exceed the limit in any 60 s, whatever the order and their clocks", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seededInt(seed);
    const limit = 1 + random(50);
    const replicas = [0, 1, 2].map(() => ({ permits: new WindowPermits(), clockOffset: random(1_000_000) }));
    const clock = (index: number, time: number) => time + replicas[index]!.clockOffset;
    replicas[0]!.permits.add({ count: limit, freeInMs: 0 }, clock(0, 0));
    const uses: { at: number; count: number }[] = [];
    for (let time = 0, step = 0; step < 3_000; step++, time += random(200)) {
      const index = random(3);
      const { permits } = replicas[index]!;
      if (random(4) > 0) {
        const count = 1 + random(2);
        if (!permits.reserve(count, clock(index, time))) continue;
        if (random(8) === 0) {
          permits.unreserve(count);
          continue;
        }
        const until = permits.use(count, clock(index, time));
        const undone = random(2) === 0 ? random(count + 1) : 0;
        permits.unuse(undone, until, clock(index, time));
        if (count > undone) uses.push({ at: time, count: count - undone });
      } else {
        const to = random(3);
        for (const moved of permits.remove(random(limit) + 1, clock(index, time))) {
          replicas[to]!.permits.add(moved, clock(to, time + random(50)));
        }
      }
    }
    assert.equal(
      replicas.reduce((sum, { permits }) => sum + permits.held, 0),
      limit,
      `seed ${seed}: a permit was lost or created`,
    );
    assert.ok(busiestMinute(uses) <= limit, `seed ${seed}: over the limit`);
  }
});

/** Reserves and uses permits; undefined when there are too few. */
function use(permits: WindowPermits, count: number, now: number): number | undefined {
  return permits.reserve(count, now) ? permits.use(count, now) : undefined;
}

test("a replica with all permits admits exactly the limit, and again a minute later", () => {
  const permits = new WindowPermits();
  permits.add({ count: 60, freeInMs: 0 }, 0);
  const admitted = (now: number) => {
    let count = 0;
    while (use(permits, 1, now) !== undefined) count++;
    return count;
  };
  assert.equal(admitted(1_000), 60);
  assert.equal(admitted(60_900), 0);
  assert.equal(permits.nextFreeInMs(60_900), 100);
  assert.equal(admitted(61_000), 60);
});

test("tokens used beyond the reservation are deducted from later admissions", () => {
  const permits = new WindowPermits();
  permits.add({ count: 100, freeInMs: 0 }, 0);
  assert.notEqual(use(permits, 60, 0), undefined);
  permits.overuse(50, 0);
  assert.equal(permits.freeAt(0), -10);
  assert.equal(use(permits, 1, 100), undefined);
  assert.equal(permits.freeAt(60_000), 100);
});

test("a permit's minute begins when its request is admitted, and retry delays account for that", () => {
  const permits = new WindowPermits();
  permits.add({ count: 1, freeInMs: 0 }, 0);
  assert.ok(permits.reserve(1, 0));
  assert.equal(permits.nextFreeInMs(2_000), windowMs);
  assert.equal(permits.freeInMs(1, 2_000), windowMs);
  assert.deepEqual(permits.remove(1, 2_000), []);
  assert.equal(permits.use(1, 3_000), 63_000);
  assert.equal(permits.nextFreeInMs(4_000), 59_000);
  assert.equal(permits.reserve(1, 62_000), false);
  assert.equal(permits.held, 1);
  assert.equal(use(permits, 1, 63_000), 123_000);
});
