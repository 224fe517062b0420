import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startBackend } from "@uag/harness/backend";
import { Stopwatch } from "@uag/harness/testing/durations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { busiestMinute, limited, maxConcurrent, startReplicas } from "./limits-replicas.ts";

const usd = 1_000_000_000n;
const all = [0, 1, 2];

/**
 * A replica may report that billing on an overloaded machine did not respond in time: that is not a
 * false refusal.
 */
function assertOnly(refusals: ReadonlyMap<string, number>, code: string): void {
  assert.ok(refusals.has(code));
  const others = [...refusals.keys()].filter((each) => each !== code && each !== "service_unavailable");
  assert.deepEqual(others, []);
}

test("sequential requests to three replicas each get the permit that another replica holds", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 3);
  const limits = limited({ requestsPerMinute: 20 });
  for (let i = 0; i < 21; i++) await replicas.run(i % 3, { limits });
  assert.equal(replicas.spans.length, 20);
  assertOnly(replicas.refusals, "rate_limit_exceeded");
  assert.equal(replicas.refusals.get("rate_limit_exceeded"), 1);
});

test("the concurrency permits of a replica killed with -9 are available again within 6 s, and never more than the limit", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 3);
  const limits = limited({ concurrentRequests: 5 });
  await replicas.run(0, { limits, count: 5, atOnce: 5, lastsMs: -1 });
  assert.equal(replicas.spans.length, 5);
  await replicas.run(1, { limits });
  assert.equal(replicas.spans.length, 5);
  // The steady state in which billing may declare a silent holder dead.
  await replicas.run(1, { limits, count: 1_000_000, delayMs: 100, untilMs: 5_000 });
  assert.equal(replicas.spans.length, 5);
  await replicas.kill(0);
  const killedAt = performance.now();
  using watch = new Stopwatch();
  const order = { limits, count: 1_000_000, atOnce: 4, lastsMs: 200, delayMs: 50 };
  for (const replica of [1, 2]) void replicas.run(replica, order);
  await waitFor(() => replicas.spans.length > 5, { what: "a permit that is back" });
  const backMs = watch.ms;
  // After a pause, billing waits for one more lease before it declares any holder dead.
  const standstills = Math.floor((performance.now() - killedAt - backMs) / 1_000);
  assert.ok(backMs < 6_000 + standstills * 5_000, `after ${backMs} ms`);
  await sleep(1_500);
  assert.equal(maxConcurrent(replicas.spans), 5);
});

test("never admits more than the limit in a minute while replicas are killed", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 3);
  const limits = limited({ requestsPerMinute: 300 });
  const order = { limits, atOnce: 4, delayMs: 10, lastsMs: 20 };
  // As many as leave the others some, however late the kill is.
  const running = all.map((replica) => replicas.run(replica, { ...order, count: 30 }));
  await waitFor(() => replicas.spans.length > 60, { what: "some" });
  await replicas.kill(1);
  await Promise.all(running);
  const before = replicas.spans.length;
  const more = { ...order, count: 1_000_000, untilMs: 5_000 };
  await Promise.all([0, 2].map((replica) => replicas.run(replica, more)));
  assert.ok(busiestMinute(replicas.spans) <= 300);
  assert.ok(
    replicas.spans.length > before + 20,
    `${replicas.spans.length - before} were admitted by the surviving replicas`,
  );
});

test("three replicas with concurrent requests of many keys never exceed the limit of a key, of its team or of their company, and use each up", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 3);
  const company = { requestsPerMinute: 90, concurrentRequests: 6 };
  const orders = [
    {
      keyId: "key_a",
      limits: limited({ requestsPerMinute: 20 }),
      levels: { research: { requestsPerMinute: 60 }, company },
    },
    { keyId: "key_b", levels: { research: { requestsPerMinute: 60 }, company } },
    { keyId: "key_c", levels: { sales: { requestsPerMinute: 200, concurrentRequests: 2 }, company } },
  ];
  const common = { count: 1_000_000, atOnce: 4, lastsMs: 20, delayMs: 20, untilMs: 10_000 };
  await Promise.all(all.flatMap((replica) => orders.map((order) => replicas.run(replica, { ...common, ...order }))));
  const { spans } = replicas;
  const of = (...keys: string[]) => spans.filter(({ keyId }) => keys.includes(keyId));
  const research = of("key_a", "key_b");
  assert.ok(busiestMinute(of("key_a")) <= 20, `${of("key_a").length} of the key`);
  assert.ok(busiestMinute(research) <= 60, `${research.length} of the team`);
  assert.ok(maxConcurrent(of("key_c")) <= 2);
  assert.ok(maxConcurrent(spans) <= 6);
  assert.equal(busiestMinute(spans), 90, "the whole company's limit, and no more");
  assert.equal(spans.length, 90);
  const codes = [...replicas.refusals.keys()].filter((code) => code !== "service_unavailable");
  assert.deepEqual(codes.sort(), ["concurrency_limit_exceeded", "rate_limit_exceeded"]);
});

test("a team's permits at a replica killed with -9 are neither used by others early nor lost", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 3);
  const levels = { team: { requestsPerMinute: 300, concurrentRequests: 5 } };
  const common = { levels, count: 1_000_000, atOnce: 4, lastsMs: 100, delayMs: 20 };
  const running = all.map((replica) => replicas.run(replica, { ...common, keyId: `key_${replica}`, untilMs: 2_000 }));
  await waitFor(() => replicas.spans.some(({ replica }) => replica === 1), { what: "a request of the replica" });
  await replicas.kill(1);
  await Promise.all(running);
  const before = replicas.spans.length;
  const more = { ...common, untilMs: 12_000 };
  await Promise.all([0, 2].map((replica) => replicas.run(replica, { ...more, keyId: `key_${replica}` })));
  assert.ok(busiestMinute(replicas.spans) <= 300);
  assert.ok(maxConcurrent(replicas.spans) <= 5);
  assert.ok(replicas.spans.length > before + 20, `${replicas.spans.length - before} by the survivors`);
});

test("a replica uses its permits while billing is unreachable, then responds 503 and not 429", async () => {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(usd), 1);
  const limits = limited({ requestsPerMinute: 60 });
  await replicas.run(0, { limits, count: 30, atOnce: 30 });
  await backend.billing.kill();
  await replicas.run(0, { limits, count: 2 });
  assert.equal(replicas.spans.length, 32);
  await replicas.run(0, { limits, count: 1_000, delayMs: 20, untilMs: 6_000 });
  assert.deepEqual([...replicas.refusals.keys()], ["service_unavailable"]);
  assert.ok(replicas.spans.length <= 60);
  await backend.billing.start();
  const before = replicas.spans.length;
  await waitFor(
    async () => {
      await replicas.run(0, { limits });
      return replicas.spans.length > before;
    },
    { what: "billing" },
  );
});
