import assert from "node:assert/strict";
import { test } from "node:test";
import type { Credential, Upstream } from "@uag/catalog/types";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import { CredentialHealth } from "./credential-health.ts";
import { durationIn } from "./rate-headers.ts";
import { evenScoreOf, scoreOf } from "./rendezvous.ts";
import { RequestCredentials } from "./request-credentials.ts";

const seeds: Readonly<Record<string, number>> = { a: 0x1234567, b: 0x89abcdef, c: 0x2468ace0, d: 0x13579bdf };

/** A pool of credentials of one provider. */
function poolOf(...credentials: (Partial<Credential> & { id: string })[]): Upstream[] {
  const pool: Upstream[] = [];
  for (const { id, ...more } of credentials) {
    const credential = { id, name: id, weight: 1, priority: 0, account: `=${id}`, seed: seeds[id] ?? 0, ...more };
    pool.push({ provider: { name: "p", credential }, model: "m", weight: 1, priority: 0, pool } as never);
  }
  return pool;
}

function stage(pool: Upstream[]) {
  let now = 10_000;
  const health = new CredentialHealth({ now: () => now, monotonic: () => now });
  const of = (id: string): Upstream =>
    pool.find(({ provider }) => provider.credential.id === id) ?? assert.fail(`no credential ${id}`);
  const chosen = (affinity = 7, tokens = 0) =>
    new RequestCredentials(health, { affinity, isConversation: true, tokens }).first(pool[0] as Upstream);
  const choose = (affinity?: number, tokens?: number) => chosen(affinity, tokens).one.provider.credential.id;
  return {
    health,
    of,
    choose,
    why: (affinity?: number, tokens?: number) => chosen(affinity, tokens).reason,
    fail: (id: string, kind: FailureKind, retryAfterMs?: number) =>
      health.failed(of(id), new UpstreamFailure(kind, "x", { retryAfterMs })),
    report: (id: string, headers: Record<string, string>) =>
      health.observe(of(id), { header: (name) => headers[name] }),
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

const affinities = Array.from({ length: 9_000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1) >>> 0);

test("conversations are spread in proportion to the credentials' weights, and each keeps its credential", () => {
  const { choose } = stage(poolOf({ id: "a" }, { id: "b", weight: 2 }, { id: "c", weight: 3 }));
  const first = affinities.map((affinity) => choose(affinity));
  assert.deepEqual(
    affinities.map((affinity) => choose(affinity)),
    first,
  );
  const counts = Object.groupBy(first, (id) => id ?? "");
  for (const [id, share] of [
    ["a", 1 / 6],
    ["b", 2 / 6],
    ["c", 3 / 6],
  ] as const)
    assert.ok(Math.abs((counts[id]?.length ?? 0) / affinities.length - share) < 0.02, `${id}: ${counts[id]?.length}`);
});

test("only the conversations of a credential that goes are moved, and they return with it", () => {
  const { choose, fail, pass } = stage(poolOf({ id: "a" }, { id: "b" }, { id: "c" }));
  const before = affinities.map((affinity) => choose(affinity));
  fail("b", "capacity", 5_000);
  const during = affinities.map((affinity) => choose(affinity));
  for (const [index, id] of before.entries()) {
    if (id === "b") assert.notEqual(during[index], "b");
    else assert.equal(during[index], id);
  }
  pass(5_001);
  assert.deepEqual(
    affinities.map((affinity) => choose(affinity)),
    before,
  );
});

test("a credential of a higher priority number is used only while none of a lower one is available", () => {
  const { choose, fail, pass } = stage(poolOf({ id: "a", priority: 1 }, { id: "b" }, { id: "c" }));
  assert.ok(affinities.every((affinity) => choose(affinity) !== "a"));
  fail("b", "operator");
  fail("c", "capacity", 1_000);
  assert.ok(affinities.every((affinity) => choose(affinity) === "a"));
  pass(1_001);
  assert.ok(affinities.every((affinity) => choose(affinity) === "c"));
});

test("credentials of one account share its rate limits and its credit, and a rejected key is only its own", () => {
  const { choose, fail, pass } = stage(poolOf({ id: "a", account: "x" }, { id: "b", account: "x" }, { id: "c" }));
  for (const kind of ["capacity", "quota"] as const) {
    fail("a", kind, 1_000);
    assert.ok(
      affinities.every((affinity) => choose(affinity) === "c"),
      kind,
    );
    pass(1_001);
  }
  fail("a", "operator");
  assert.deepEqual([...new Set(affinities.map((affinity) => choose(affinity)))].sort(), ["b", "c"]);
});

test("a limit that a provider reports as used up is obeyed until it resets, calls in flight included", () => {
  const { health, of, choose, report, pass } = stage(poolOf({ id: "a" }, { id: "b", priority: 1 }));
  const limits = (remaining: string) => ({
    "x-ratelimit-limit-requests": "10",
    "x-ratelimit-remaining-requests": remaining,
    "x-ratelimit-reset-requests": "1m0s",
  });
  report("a", limits("2"));
  assert.equal(choose(), "a");
  for (const _ of [1, 2]) health.began(of("a"), 0);
  assert.equal(choose(), "b");
  health.ended(of("a"), 0);
  assert.equal(choose(), "a", "what was reserved is free again until the next report");
  report("a", limits("0"));
  assert.equal(choose(), "b");
  pass(60_000);
  assert.equal(choose(), "a");
});

test("a call is not sent where it needs more tokens than are left, unless it needs more than the whole limit", () => {
  const { choose, report } = stage(poolOf({ id: "a" }, { id: "b", priority: 1 }));
  report("a", {
    "anthropic-ratelimit-input-tokens-limit": "50000",
    "anthropic-ratelimit-input-tokens-remaining": "800",
    "anthropic-ratelimit-input-tokens-reset": new Date(40_000).toISOString(),
    "anthropic-ratelimit-tokens-limit": "90000",
    "anthropic-ratelimit-tokens-remaining": "40000",
    "anthropic-ratelimit-tokens-reset": new Date(40_000).toISOString(),
  });
  assert.equal(choose(7, 800), "a");
  assert.equal(choose(7, 801), "b");
  report("a", {
    "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "1000",
    "x-ratelimit-reset-tokens": "1s",
  });
  assert.equal(choose(7, 5_000), "a");
});

test("after a rejection one call at a time tries the credential again, until one succeeds", () => {
  const { health, of, choose, fail, pass } = stage(poolOf({ id: "a" }, { id: "b", priority: 1 }));
  fail("a", "operator");
  assert.deepEqual(health.stateOf(of("a").provider), { rejection: "operator", cooldownForMs: 60_000 });
  assert.equal(choose(), "b");
  pass(60_001);
  assert.equal(choose(), "a");
  health.began(of("a"), 0);
  assert.equal(choose(), "b", "the others do not wait for the result");
  health.ended(of("a"), 0);
  health.succeeded(of("a"));
  assert.equal(choose(), "a");
  assert.deepEqual(health.stateOf(of("a").provider), { rejection: undefined, cooldownForMs: 0 });
});

test("while none is available, the credential that will be first is used", () => {
  const { choose, fail } = stage(poolOf({ id: "a" }, { id: "b" }));
  fail("a", "capacity", 9_000);
  fail("b", "capacity", 3_000);
  assert.ok(affinities.every((affinity) => choose(affinity) === "b"));
});

test("reads every form in which providers report when a limit resets, and nothing else", () => {
  const at = Date.UTC(2026, 0, 1);
  const of = (text: string | undefined) => durationIn(text, at);
  assert.deepEqual(
    ["6m0s", "20ms", "1.5s", "2m59.56s", "1h2m3s", "7", "0.5", new Date(at + 4_000).toISOString()].map(of),
    [360_000, 20, 1_500, 179_560, 3_723_000, 7_000, 500, 4_000],
  );
  assert.equal(of(new Date(at - 4_000).toISOString()), 0);
  for (const text of [undefined, "", "soon", "-1", "1d", "9".repeat(41)]) assert.equal(of(text), undefined, text);
});

test("credentials of equal weight have the same order with and without weights", () => {
  const all = Object.values(seeds);
  for (const affinity of affinities) {
    const order = (score: typeof scoreOf) => all.toSorted((a, b) => score(affinity, a) - score(affinity, b));
    assert.deepEqual(order(evenScoreOf), order(scoreOf));
  }
});
