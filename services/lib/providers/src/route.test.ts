import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { attempt } from "./attempt.ts";
import { type FailureKind, UpstreamFailure } from "./failure.ts";
import { UpstreamHealth } from "./health.ts";
import { RetryBudget } from "./retry-budget.ts";
import { Route, type RoutingOptions } from "./route.ts";

/** An upstream, with a credential for each letter. */
function upstream(name: string, { priority = 0, keys = "k", level = 0 } = {}): Upstream {
  const pool: Upstream[] = [];
  for (const id of keys) {
    const credential = {
      id,
      name: id,
      weight: 1,
      priority: keys.indexOf(id),
      account: `=${id}`,
      seed: id.charCodeAt(0),
    };
    const provider = { name, seed: name.charCodeAt(0), credential };
    pool.push({
      provider,
      model: "m",
      weight: 1,
      priority,
      cost: { level },
      ...(keys.length > 1 && { pool }),
    } as never);
  }
  return pool[0] as Upstream;
}

function stage(upstreams: Upstream[]) {
  let now = 50_000;
  const changes: string[] = [];
  const health = new UpstreamHealth({
    clock: { now: () => now, monotonic: () => now },
    onCircuit: ({ provider }, state) => changes.push(`${provider.name} ${state}`),
  });
  const next = (options: RoutingOptions = {}) => shown(new Route(upstreams, health, options));
  const end = (of: Upstream, kind?: FailureKind, retryAfterMs?: number): void => {
    const call = health.began(of);
    if (kind === undefined) health.succeeded(call, 100);
    else health.failed(call, new UpstreamFailure(kind, "x", { retryAfterMs }));
    health.ended(call);
  };
  return {
    health,
    changes,
    next,
    end,
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

function shown(route: Route): string {
  const { upstream: to, reasons } = route.next() ?? assert.fail("no call is left");
  return [to.provider.name, to.provider.credential.id, reasons.upstream, reasons.credential].join(" ");
}

const conversation = { affinity: 7 };

test("each choice has the reason for which it is made", () => {
  const only = stage([upstream("a")]);
  assert.equal(only.next(), "a k  ");
  const ranked = stage([upstream("a"), upstream("b", { priority: 1 })]);
  assert.equal(ranked.next(), "a k priority ");
  const equal = stage([upstream("a"), upstream("b")]);
  assert.match(equal.next(conversation), /^. k affinity $/);
  assert.match(equal.next(), /^. k weight $/);
  assert.match(ranked.next({ strategy: "weighted" }), /^. k weight $/);
  const pool = stage([upstream("a", { keys: "xy" })]);
  assert.equal(pool.next(conversation), "a x  priority");
  assert.equal(ranked.next({ because: "fallback" }), "a k fallback ");
});

test("the upstream that costs the operator least is chosen, and of equal ones a conversation's own", () => {
  const strategy = "least_cost";
  const priced = stage([upstream("a", { level: 7 }), upstream("b", { priority: 1, level: 5 })]);
  assert.equal(priced.next({ strategy }), "b k cost ");
  assert.match(stage([upstream("a"), upstream("b")]).next({ strategy, ...conversation }), /^. k affinity $/);
  const [cheap, next] = [upstream("a"), upstream("b", { level: 9 })];
  const failing = stage([next, cheap]);
  failing.end(cheap, "capacity");
  assert.equal(failing.next({ strategy }), "b k rate_limit ");
});

test("the fastest upstream is chosen by its latency", () => {
  const [a, b] = [upstream("a"), upstream("b")];
  const { health, next, end } = stage([a, b]);
  end(b);
  const slow = health.began(a);
  health.succeeded(slow, 900);
  health.ended(slow);
  assert.equal(next({ strategy: "least_latency" }), "b k latency ");
});

test("an upstream that replaces another names what the other has: a cooldown, a limit, or an open circuit", () => {
  const [a, b] = [upstream("a"), upstream("b", { priority: 1 })];
  const { next, end, pass, changes } = stage([a, b]);
  end(a, "transient", 3_000);
  assert.equal(next(), "b k cooldown ");
  pass(3_001);
  end(a, "capacity", 3_000);
  assert.equal(next(), "b k rate_limit ");
  const byWeight = [1, 2, 3, 4, 5, 6, 7, 8].map((affinity) => next({ strategy: "weighted", affinity }));
  assert.deepEqual(
    [...new Set(byWeight)].sort(),
    ["b k affinity ", "b k rate_limit "],
    "a conversation that would be there anyway has its own reason",
  );
  pass(3_001);
  for (let i = 0; i < 20; i++) end(a, "transient");
  assert.equal(next(), "b k circuit_open ");
  end(b, "capacity", 60_000);
  assert.equal(next(), "a k last_resort ", "it will be the first that is available");
  pass(10_000);
  assert.equal(next(), "a k probe ");
  for (let i = 0; i < 3; i++) end(a);
  assert.equal(next(), "a k priority ");
  assert.deepEqual(changes, ["a open", "a closed"]);
});

test("calls above an upstream's limit of concurrent calls go to another upstream, and to it when there is none", () => {
  const busy = upstream("a");
  const limited = { ...busy, provider: { ...busy.provider, adaptiveConcurrency: { min: 1, max: 2 } } };
  const { health, next, end } = stage([limited, upstream("b", { priority: 1 })]);
  const calls = [health.began(limited), health.began(limited)];
  assert.equal(next(), "b k concurrency ");
  assert.equal(shown(new Route([limited], health, {})), "a k  ");
  const [first = assert.fail("no call")] = calls;
  health.ended(first);
  assert.equal(next(), "a k priority ");
  end(limited, "timeout");
  assert.deepEqual([...health.concurrencyLimits()], [["a", 1]]);
  assert.equal(next(), "b k concurrency ");
});

test("a credential over its spend cap is never called, and another names the cap", () => {
  const pool = upstream("a", { keys: "xy" });
  const { health, next } = stage([pool, upstream("b", { priority: 1 })]);
  const over = new Set<string>();
  const spend = {
    prepare: () => undefined,
    isOver: ({ provider: { name, credential } }: Upstream) => over.has(name + credential.id),
    began: () => undefined,
    untilMs: () => 0,
  };
  assert.equal(next({ spend }), "a x priority priority");
  over.add("ax");
  assert.equal(next({ spend }), "a y priority spend_cap");
  over.add("ay");
  assert.equal(next({ spend }), "b k spend_cap ");
  over.add("bk");
  for (const upstreams of [[pool, upstream("b")], [pool]])
    assert.equal(new Route(upstreams, health, { spend }).next(), undefined);
});

test("a credential that replaces another names its rejection or its limit, and is a probe after a rejection", () => {
  const a = upstream("a", { keys: "xy" });
  const [x] = a.pool ?? [];
  const { next, end, pass } = stage([a]);
  end(x ?? a, "capacity", 1_000);
  assert.equal(next(), "a y  rate_limit");
  pass(1_001);
  end(x ?? a, "operator");
  assert.equal(next(), "a y  cooldown");
  pass(60_001);
  assert.equal(next(), "a x  probe");
});

test("later calls of a request are made for the failure before, or are retries", () => {
  const [a, b] = [upstream("a", { keys: "xy" }), upstream("b", { priority: 1, keys: "vw" })];
  const route = new Route([a, b], stage([]).health, conversation);
  const first = route.next() ?? assert.fail();
  assert.ok(route.callAnother(first));
  assert.equal(shown(route), "a y priority failover");
  assert.match(shown(route), /^b v failover priority$/);
  route.callAgain(first.upstream);
  assert.equal(route.next(), undefined);
  assert.ok(route.retry());
  assert.equal(shown(route), "a x retry ");
});

test("while a circuit is half open, concurrent requests send it three calls at once and the others elsewhere", async () => {
  const [a, b] = [upstream("a"), upstream("b", { priority: 1 })];
  const { health, end, pass, changes } = stage([a, b]);
  for (let i = 0; i < 20; i++) end(a, "transient");
  const counts = { a: 0, b: 0, now: 0, most: 0 };
  /** Resolves the calls to `a` that are under way. */
  let release = Promise.withResolvers<void>();
  const request = () =>
    attempt({
      upstreams: [a, b],
      health,
      budget: new RetryBudget(),
      signal: new AbortController().signal,
      async call({ provider: { name } }) {
        counts[name as "a" | "b"]++;
        if (name === "b") return;
        counts.most = Math.max(counts.most, ++counts.now);
        await release.promise.finally(() => counts.now--);
      },
    });
  await Promise.all(Array.from({ length: 50 }, request));
  assert.deepEqual([counts.a, counts.b], [0, 50]);
  pass(10_000);
  const during = Array.from({ length: 100 }, request);
  await Promise.all(during.slice(3));
  assert.deepEqual([counts.a, counts.b, counts.most], [3, 147, 3]);
  release.reject(new UpstreamFailure("transient", "still broken", { status: 500 }));
  await Promise.all(during);
  assert.deepEqual([counts.a, counts.b, changes], [3, 150, ["a open", "a open"]], "each probe is served elsewhere");
  pass(20_000);
  release = Promise.withResolvers<void>();
  const after = Array.from({ length: 100 }, request);
  release.resolve();
  await Promise.all(after);
  assert.deepEqual([counts.a, counts.most, changes.at(-1)], [6, 3, "a closed"]);
  await request();
  assert.equal(counts.a, 7);
});

test("at most 2,000 upstreams are remembered, whatever happens to them", () => {
  const { health } = stage([]);
  for (let i = 0; i < 5_000; i++) {
    const call = health.began({ ...upstream("a"), model: `m${i}` });
    health.failed(call, new UpstreamFailure("transient", "x", { retryAfterMs: 60_000 }));
    health.ended(call);
  }
  assert.equal(health.seen().length, 2_000);
  assert.equal(health.avoidedUntil({ ...upstream("a"), model: "m0" }), 0);
});
