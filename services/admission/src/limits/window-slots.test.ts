import assert from "node:assert/strict";
import { test } from "node:test";
import { restMs, WindowSlots } from "./window-slots.ts";

function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The most uses in any window of 60 s. */
function busiestMinute(uses: { at: number; count: number }[]): number {
  let most = 0;
  for (const { at } of uses) {
    const sum = uses.filter((use) => use.at > at - restMs && use.at <= at).reduce((total, use) => total + use.count, 0);
    most = Math.max(most, sum);
  }
  return most;
}

test("replicas that pass slots to each other never use more than the limit in any 60 s, whatever the order and the clocks", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = randomFrom(seed);
    const limit = 1 + random(50);
    const replicas = [0, 1, 2].map(() => ({ slots: new WindowSlots(), clockOffset: random(1_000_000) }));
    const clock = (index: number, time: number) => time + replicas[index]!.clockOffset;
    replicas[0]!.slots.add({ count: limit, freeInMs: 0 }, clock(0, 0));
    const uses: { at: number; count: number }[] = [];
    for (let time = 0, step = 0; step < 3_000; step++, time += random(200)) {
      const index = random(3);
      const { slots } = replicas[index]!;
      if (random(4) > 0) {
        const count = 1 + random(2);
        if (!slots.reserve(count, clock(index, time))) continue;
        if (random(8) === 0) {
          slots.unreserve(count);
          continue;
        }
        const until = slots.use(count, clock(index, time));
        const undone = random(2) === 0 ? random(count + 1) : 0;
        slots.unuse(undone, until, clock(index, time));
        if (count > undone) uses.push({ at: time, count: count - undone });
      } else {
        const to = random(3);
        for (const moved of slots.remove(random(limit) + 1, clock(index, time))) {
          replicas[to]!.slots.add(moved, clock(to, time + random(50)));
        }
      }
    }
    assert.equal(
      replicas.reduce((sum, { slots }) => sum + slots.held, 0),
      limit,
      `seed ${seed}: a slot was lost or made`,
    );
    assert.ok(busiestMinute(uses) <= limit, `seed ${seed}: over the limit`);
  }
});

/** Uses slots at once; undefined when there are too few. */
function use(slots: WindowSlots, count: number, now: number): number | undefined {
  return slots.reserve(count, now) ? slots.use(count, now) : undefined;
}

test("a replica that has all slots admits exactly the limit, and again a minute later", () => {
  const slots = new WindowSlots();
  slots.add({ count: 60, freeInMs: 0 }, 0);
  const admitted = (now: number) => {
    let count = 0;
    while (use(slots, 1, now) !== undefined) count++;
    return count;
  };
  assert.equal(admitted(1_000), 60);
  assert.equal(admitted(60_900), 0);
  assert.equal(slots.nextFreeInMs(60_900), 100);
  assert.equal(admitted(61_000), 60);
});

test("tokens used beyond the reservation are a debt that later admissions pay", () => {
  const slots = new WindowSlots();
  slots.add({ count: 100, freeInMs: 0 }, 0);
  assert.notEqual(use(slots, 60, 0), undefined);
  slots.overuse(50, 0);
  assert.equal(slots.freeAt(0), -10);
  assert.equal(use(slots, 1, 100), undefined);
  assert.equal(slots.freeAt(60_000), 100);
});

test("a request that waited after it took its slot counts from when it was admitted, and nobody is told to come sooner", () => {
  const slots = new WindowSlots();
  slots.add({ count: 1, freeInMs: 0 }, 0);
  assert.ok(slots.reserve(1, 0));
  assert.equal(slots.nextFreeInMs(2_000), restMs);
  assert.equal(slots.freeInMs(1, 2_000), restMs);
  assert.deepEqual(slots.remove(1, 2_000), []);
  assert.equal(slots.use(1, 3_000), 63_000);
  assert.equal(slots.nextFreeInMs(4_000), 59_000);
  assert.equal(slots.reserve(1, 62_000), false);
  assert.equal(slots.held, 1);
  assert.equal(use(slots, 1, 63_000), 123_000);
});
