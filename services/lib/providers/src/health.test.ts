import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { percentilesOf } from "@uag/runtime/histogram";
import { type FailureKind, UpstreamFailure } from "./failure.ts";
import { UpstreamHealth } from "./health.ts";
import { orderUpstreams } from "./order-upstreams.ts";
import { RetryBudget } from "./retry-budget.ts";

const upstream = (provider: string, model = "m", more: Partial<Upstream> = {}): Upstream =>
  ({ provider: { name: provider }, model, weight: 1, priority: 0, ...more }) as Upstream;

function clocked() {
  let now = 1_000;
  const health = new UpstreamHealth({ now: () => 0, monotonic: () => now });
  const fail = (of: Upstream, kind: FailureKind, retryAfterMs?: number) =>
    health.failed(of, new UpstreamFailure(kind, "x", { retryAfterMs }));
  const pass = (ms: number): void => {
    now += ms;
  };
  return { health, fail, pass, now: () => now };
}

test("an upstream cools down after five consecutive failures, longer each time, and a success resets the count", () => {
  const { health, fail, pass, now } = clocked();
  const a = upstream("a");
  for (let i = 0; i < 4; i++) fail(a, "transient");
  assert.equal(health.cooldownUntil(a), 0);
  fail(a, "transient");
  assert.equal(health.cooldownUntil(a) - now(), 5_000);
  pass(5_001);
  assert.equal(health.cooldownUntil(a), 0);
  for (let i = 0; i < 5; i++) fail(a, "timeout");
  assert.equal(health.cooldownUntil(a) - now(), 10_000);
  health.succeeded(a, 10);
  assert.equal(health.cooldownUntil(a), 0);
  for (let i = 0; i < 4; i++) fail(a, "transient");
  pass(61_000);
  fail(a, "transient");
  assert.equal(health.cooldownUntil(a), 0, "old failures do not count");
});

test("a refused key cools down the whole provider, a requested retry delay is honoured, and client errors do not count", () => {
  const { health, fail, now } = clocked();
  fail(upstream("a", "x"), "operator");
  assert.equal(health.cooldownUntil(upstream("a", "y")) - now(), 60_000);
  assert.equal(health.cooldownUntil(upstream("b", "x")), 0);
  fail(upstream("b", "x"), "capacity", 3_000);
  assert.equal(health.cooldownUntil(upstream("b", "x")) - now(), 3_000);
  assert.equal(health.cooldownUntil(upstream("b", "y")), 0);
  for (let i = 0; i < 20; i++) fail(upstream("c"), "client");
  assert.equal(health.cooldownUntil(upstream("c")), 0);
});

test("orders upstreams by priority, then by weight, with those cooling down last", () => {
  const a = upstream("a");
  const b = upstream("b", "m", { weight: 3 });
  const c = upstream("c", "m", { priority: 1 });
  const names = (list: Upstream[]) => list.map(({ provider }) => provider.name).join("");
  let heavyFirst = 0;
  for (let i = 0; i < 4_000; i++) {
    const order = names(orderUpstreams([c, a, b], () => 0));
    assert.ok(order.endsWith("c"));
    if (order.startsWith("b")) heavyFirst++;
  }
  assert.ok(heavyFirst > 2_700 && heavyFirst < 3_300, `${heavyFirst} of 4000, expected about 3000`);
  assert.equal(names(orderUpstreams([a, c], (of) => (of === a ? 5 : 0))), "ca");
  const cooldowns = new Map([
    [a, 9],
    [b, 5],
    [c, 7],
  ]);
  assert.equal(names(orderUpstreams([a, b, c], (of) => cooldowns.get(of) ?? 0)), "bca");
});

test("limits retries to a fifth of the load once the reserve is used up", () => {
  const budget = new RetryBudget();
  let retries = 0;
  for (let i = 0; i < 10_000; i++) {
    budget.deposit();
    if (budget.withdraw()) retries++;
  }
  assert.ok(retries >= 2_000 && retries <= 2_130, String(retries));
});

test("reports each upstream's calls, failures, latency and cooldown over the last hour", () => {
  const { health, fail, pass } = clocked();
  const a = upstream("a");
  health.succeeded(a, 40);
  pass(30 * 60_000);
  fail(a, "transient");
  fail(a, "client");
  fail(a, "cancelled");
  fail(a, "busy");
  const [seen] = health.seen();
  assert.deepEqual(
    [seen?.provider, seen?.model, seen?.calls, seen?.failures, seen?.cooldownForMs],
    ["a", "m", 3, 1, 0],
  );
  assert.equal(percentilesOf(seen?.latency ?? [])?.count, 1);
  pass(31 * 60_000);
  assert.deepEqual(
    health.seen().map(({ calls, failures }) => [calls, failures]),
    [[2, 1]],
  );
  pass(60 * 60_000);
  assert.deepEqual(health.seen(), []);
  fail(a, "operator");
  assert.equal(health.seen()[0]?.cooldownForMs, 60_000);
});
