import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, startHouse } from "./harness.ts";
import { busiestMinute, limited, maxConcurrent, startReplicas } from "./limits-replicas.ts";

const usd = 1_000_000_000n;
const all = [0, 1, 2];

/**
 * A replica may report that an overloaded machine's billing did not answer in time: that is not a
 * false refusal.
 */
function assertOnly(refusals: ReadonlyMap<string, number>, code: string): void {
  assert.ok(refusals.has(code));
  const others = [...refusals.keys()].filter((each) => each !== code && each !== "service_unavailable");
  assert.deepEqual(others, []);
}

test("60 requests a minute hit by 1,000 over three replicas are 60, from the first on", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const limits = limited({ requestsPerMinute: 60 });
  await Promise.all(all.map((replica) => replicas.run(replica, { limits, count: 334, atOnce: 100 })));
  assert.equal(replicas.stays.length, 60);
  assertOnly(replicas.refusals, "rate_limit_exceeded");
  // And no more after it resumes.
  await Promise.all(all.map((replica) => replicas.run(replica, { limits, count: 100, restMs: 20 })));
  assert.equal(replicas.stays.length, 60);
});

test("requests that come one by one to three replicas all find the permit that another one has", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const limits = limited({ requestsPerMinute: 20 });
  for (let i = 0; i < 21; i++) await replicas.run(i % 3, { limits });
  assert.equal(replicas.stays.length, 20);
  assert.deepEqual([...replicas.refusals], [["rate_limit_exceeded", 1]]);
});

test("of 1,000 requests over three replicas never more than 5 are in flight, and all permits come back", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const limits = limited({ concurrentRequests: 5 });
  const order = { limits, count: 334, atOnce: 40, lastsMs: 5, restMs: 10 };
  await Promise.all(all.map((replica) => replicas.run(replica, order)));
  assert.ok(replicas.stays.length >= 5, `only ${replicas.stays.length} were admitted`);
  assert.ok(maxConcurrent(replicas.stays) <= 5, `${maxConcurrent(replicas.stays)} at once`);
  assertOnly(replicas.refusals, "concurrency_limit_exceeded");
  // The last permits returned by the other replicas may still be in flight to billing.
  await eventually("all permits in one replica", async () => {
    const before = replicas.stays.length;
    await replicas.run(1, { limits, count: 5, atOnce: 5, lastsMs: 100 });
    return replicas.stays.length - before === 5;
  });
});

test("the concurrency permits of a replica that was killed with -9 are back within 6 s, and never too many", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const limits = limited({ concurrentRequests: 5 });
  await replicas.run(0, { limits, count: 5, atOnce: 5, lastsMs: -1 });
  assert.equal(replicas.stays.length, 5);
  await replicas.run(1, { limits });
  assert.equal(replicas.stays.length, 5);
  // The steady state in which billing may declare a silent holder dead.
  await replicas.run(1, { limits, count: 1_000_000, restMs: 100, untilMs: 5_000 });
  assert.equal(replicas.stays.length, 5);
  await replicas.kill(0);
  const killedAt = performance.timeOrigin + performance.now();
  const order = { limits, count: 1_000, atOnce: 4, lastsMs: 200, restMs: 50, untilMs: 8_000 };
  await Promise.all([1, 2].map((replica) => replicas.run(replica, order)));
  const back = replicas.stays[5];
  assert.ok(back !== undefined && back.admittedAt - killedAt < 6_000, `after ${back && back.admittedAt - killedAt} ms`);
  assert.equal(maxConcurrent(replicas.stays), 5);
});

test("while replicas are killed no more is admitted in a minute than the limit", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const limits = limited({ requestsPerMinute: 300 });
  const order = { limits, count: 1_000_000, atOnce: 4, restMs: 10, untilMs: 9_000, lastsMs: 20 };
  const running = all.map((replica) => replicas.run(replica, order));
  await eventually("some", () => replicas.stays.length > 60);
  await replicas.kill(1);
  const before = replicas.stays.length;
  await Promise.all(running);
  assert.ok(busiestMinute(replicas.stays) <= 300);
  assert.ok(
    replicas.stays.length > before + 20,
    `${replicas.stays.length - before} were admitted by those that live on`,
  );
});

test("a limit that is lowered or raised holds at once, over all replicas", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 3);
  const run = (version: number, requestsPerMinute: number, count: number) =>
    Promise.all(
      all.map((replica) => replicas.run(replica, { limits: limited({ requestsPerMinute }), version, count })),
    );
  await run(1, 60, 4);
  assert.equal(replicas.stays.length, 12);
  await run(2, 10, 20);
  assert.equal(replicas.stays.length, 12, "12 were used when the limit became 10");
  await run(3, 30, 40);
  assert.equal(replicas.stays.length, 30);
});

test("a replica goes on with its permits while billing is away, and then says 503 and not 429", async () => {
  await using house = await startHouse();
  await using replicas = await startReplicas(house, await house.account(usd), 1);
  const limits = limited({ requestsPerMinute: 60 });
  await replicas.run(0, { limits, count: 30, atOnce: 30 });
  await house.billing.kill();
  await replicas.run(0, { limits, count: 2 });
  assert.equal(replicas.stays.length, 32);
  await replicas.run(0, { limits, count: 1_000, restMs: 20, untilMs: 6_000 });
  assert.deepEqual([...replicas.refusals.keys()], ["service_unavailable"]);
  assert.ok(replicas.stays.length <= 60);
  await house.billing.start();
  const before = replicas.stays.length;
  await eventually("billing", async () => {
    await replicas.run(0, { limits });
    return replicas.stays.length > before;
  });
});
