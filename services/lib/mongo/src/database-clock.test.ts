import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseClock } from "./database-clock.ts";

const startMs = Date.UTC(2026, 10, 1);

function setUp() {
  let trueMs = 0;
  let wallOffsetMs = 0;
  let suspendedMs = 0;
  let away = false;
  const changes: [number, boolean][] = [];
  let reads = 0;
  const clock = new DatabaseClock({
    read: async () => {
      reads++;
      if (away) throw new Error("away");
      return startMs + trueMs;
    },
    clock: { now: () => startMs + trueMs + wallOffsetMs, monotonic: () => trueMs - suspendedMs },
    changed: (skewMs, skewed) => changes.push([skewMs, skewed]),
  });
  return {
    clock,
    changes,
    reads: () => reads,
    pass: (ms: number) => (trueMs += ms),
    setWall: (ms: number) => (wallOffsetMs += ms),
    suspend: (ms: number) => {
      trueMs += ms;
      suspendedMs += ms;
    },
    setAway: (value: boolean) => (away = value),
    trueNow: () => startMs + trueMs,
  };
}

test("returns the database's time without a round trip each time", async () => {
  const { clock, reads, pass, trueNow } = setUp();
  await clock.moment();
  for (let n = 0; n < 10; n++) {
    pass(1_000);
    assert.equal(await clock.moment(), trueNow());
    assert.equal(clock.now(), trueNow());
  }
  assert.equal(reads(), 1);
});

for (const jumpMs of [400 * 86_400_000, -400 * 86_400_000, 14 * 3_600_000]) {
  test(`returns the database's time when this machine's clock is set by ${jumpMs} ms, and reports the clock as wrong`, async () => {
    const { clock, setWall, pass, trueNow, changes } = setUp();
    await clock.moment();
    assert.equal(clock.inStep, true);
    setWall(jumpMs);
    assert.equal(clock.inStep, false, "before the next measurement");
    assert.throws(() => clock.now(), { code: "service_unavailable" });
    pass(10);
    assert.equal(await clock.moment(), trueNow());
    assert.equal(clock.inStep, false);
    assert.throws(() => clock.requireInStep(), { code: "service_unavailable" });
    assert.match(JSON.stringify(await clock.check()), /differs from the database's by -?\d+ ms/);
    setWall(-jumpMs);
    assert.equal(await clock.moment(), trueNow());
    assert.deepEqual(await clock.check(), { ok: true });
    assert.deepEqual(changes, [
      [jumpMs, true],
      [0, false],
    ]);
  });
}

test("measures the database's clock again after the machine was suspended", async () => {
  const { clock, suspend, reads, trueNow } = setUp();
  await clock.moment();
  suspend(3_600_000);
  assert.equal(await clock.moment(), trueNow());
  assert.equal(reads(), 2);
});

test("reports the time as unknown once its measurement is a minute old and the database is unreachable", async () => {
  const { clock, pass, setAway } = setUp();
  await clock.moment();
  setAway(true);
  pass(59_000);
  assert.equal(clock.inStep, true);
  pass(2_000);
  assert.equal(clock.inStep, false);
  await assert.rejects(clock.moment(), { code: "service_unavailable" });
});
