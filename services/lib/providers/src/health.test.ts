import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { percentilesOf } from "@uag/runtime/histogram";
import { type FailureKind, UpstreamFailure } from "./failure.ts";
import { UpstreamHealth } from "./health.ts";
import { RetryBudget } from "./retry-budget.ts";
import { type KnownHealth, Route, type RoutingOptions } from "./route.ts";

const upstream = (provider: string, model = "m", more: Partial<Upstream> = {}): Upstream =>
  ({
    provider: { name: provider, seed: provider.charCodeAt(0), credential: { id: "" } },
    model,
    weight: 1,
    priority: 0,
    ...more,
  }) as Upstream;

function clocked() {
  let now = 1_000;
  const health = new UpstreamHealth({ clock: { now: () => 0, monotonic: () => now } });
  const fail = (of: Upstream, kind: FailureKind, retryAfterMs?: number) => {
    const call = health.began(of);
    health.failed(call, new UpstreamFailure(kind, "x", { retryAfterMs }));
    health.ended(call);
  };
  const succeed = (of: Upstream, tookMs: number) => {
    const call = health.began(of);
    health.succeeded(call, tookMs);
    health.ended(call);
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { health, fail, succeed, pass, now: () => now };
}

test("an upstream cools down after five consecutive failures, longer each time, and a success resets the count", () => {
  const { health, fail, succeed, pass, now } = clocked();
  const a = upstream("a");
  for (let i = 0; i < 4; i++) fail(a, "transient");
  assert.equal(health.avoidedUntil(a), 0);
  fail(a, "transient");
  assert.equal(health.avoidedUntil(a) - now(), 5_000);
  pass(5_001);
  assert.equal(health.avoidedUntil(a), 0);
  for (let i = 0; i < 5; i++) fail(a, "timeout");
  assert.equal(health.avoidedUntil(a) - now(), 10_000);
  succeed(a, 10);
  assert.equal(health.avoidedUntil(a), 0);
  for (let i = 0; i < 4; i++) fail(a, "transient");
  pass(61_000);
  fail(a, "transient");
  assert.equal(health.avoidedUntil(a), 0, "old failures do not count");
});

test("a refused key cools down the whole provider, a requested retry delay is honoured, and client errors do not count", () => {
  const { health, fail, now } = clocked();
  fail(upstream("a", "x"), "operator");
  assert.equal(health.avoidedUntil(upstream("a", "y")) - now(), 60_000);
  assert.equal(health.avoidedUntil(upstream("b", "x")), 0);
  fail(upstream("b", "x"), "capacity", 3_000);
  assert.equal(health.avoidedUntil(upstream("b", "x")) - now(), 3_000);
  assert.equal(health.avoidedUntil(upstream("b", "y")), 0);
  for (let i = 0; i < 20; i++) fail(upstream("c"), "client");
  assert.equal(health.avoidedUntil(upstream("c")), 0);
});

/** A health that knows only cooldowns. */
const resting = (cooldowns: ReadonlyMap<Upstream, number> = new Map()): KnownHealth => ({
  avoidedUntil: (of: Upstream) => cooldowns.get(of) ?? 0,
  whyAvoided: () => "cooldown",
  isProbe: () => false,
  loadOf: () => 0,
  credentials: new UpstreamHealth().credentials,
});

/** The order in which a request calls upstreams that all fail. */
function orderOf(upstreams: Upstream[], health: KnownHealth, options: RoutingOptions = {}): Upstream[] {
  const route = new Route(upstreams, health, options);
  return upstreams.map(() => route.next()?.upstream ?? assert.fail("an upstream is missing"));
}

test("a weighted model's upstreams are ordered by weight whatever their priority, the available ones first", () => {
  const a = upstream("a", "m", { priority: 5 });
  const b = upstream("b", "m", { weight: 3 });
  let heavyFirst = 0;
  for (let i = 0; i < 4_000; i++) if (orderOf([a, b], resting(), { strategy: "weighted" })[0] === b) heavyFirst++;
  assert.ok(heavyFirst > 2_700 && heavyFirst < 3_300, `${heavyFirst} of 4000, expected about 3000`);
  const order = orderOf([a, b], resting(new Map([[b, 9]])), { strategy: "weighted" });
  assert.deepEqual(order, [a, b]);
});

test("the fastest upstream goes first, calls in progress count, and a slow one is tried again later", () => {
  const { health, succeed, pass } = clocked();
  const [a, b] = [upstream("a", "m", { priority: 5 }), upstream("b")];
  const first = () => orderOf([a, b], health, { strategy: "least_latency" })[0]?.provider.name;
  succeed(a, 100);
  succeed(b, 250);
  assert.equal(first(), "a");
  const calls = [health.began(a), health.began(a)];
  assert.equal(first(), "b", "three calls of 100 ms take longer than one of 250 ms");
  for (const call of calls) health.ended(call);
  assert.equal(first(), "a");
  succeed(a, 900);
  assert.equal(first(), "b", "a peak counts at once");
  for (let i = 0; i < 40; i++) {
    pass(1_000);
    succeed(b, 250);
  }
  assert.equal(first(), "a", "it is forgotten while no call is made");
});

test("orders upstreams by priority, then by weight, with those cooling down last", () => {
  const a = upstream("a");
  const b = upstream("b", "m", { weight: 3 });
  const c = upstream("c", "m", { priority: 1 });
  const names = (list: Upstream[]) => list.map(({ provider }) => provider.name).join("");
  let heavyFirst = 0;
  for (let i = 0; i < 4_000; i++) {
    const order = names(orderOf([c, a, b], resting()));
    assert.ok(order.endsWith("c"));
    if (order.startsWith("b")) heavyFirst++;
  }
  assert.ok(heavyFirst > 2_700 && heavyFirst < 3_300, `${heavyFirst} of 4000, expected about 3000`);
  assert.equal(names(orderOf([a, c], resting(new Map([[a, 5]])))), "ca");
  const cooldowns = new Map([
    [a, 9],
    [b, 5],
    [c, 7],
  ]);
  assert.equal(names(orderOf([a, b, c], resting(cooldowns))), "bca");
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
  const { health, fail, succeed, pass } = clocked();
  const a = upstream("a");
  succeed(a, 40);
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

test("reports that a provider rejects our key or account until a call to it succeeds", () => {
  const { health, fail, succeed, pass } = clocked();
  const rejections = () => health.seen().map(({ model, rejection }) => [model, rejection]);
  succeed(upstream("a", "x"), 10);
  fail(upstream("a", "y"), "operator");
  assert.deepEqual(rejections(), [
    ["x", "operator"],
    ["y", "operator"],
  ]);
  pass(61_000);
  fail(upstream("a", "y"), "quota");
  assert.deepEqual(rejections().at(-1), ["y", "quota"]);
  fail(upstream("a", "y"), "transient");
  assert.deepEqual(rejections().at(-1), ["y", "quota"]);
  succeed(upstream("a", "x"), 10);
  assert.deepEqual(rejections().at(-1), ["y", undefined]);
});
