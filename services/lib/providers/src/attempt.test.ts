import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { AttemptsFailed, attempt } from "./attempt.ts";
import { type FailureKind, UpstreamFailure, unusableResponse } from "./failure.ts";
import { UpstreamHealth } from "./health.ts";
import { RetryBudget } from "./retry-budget.ts";

const upstream = (name: string, priority = 0): Upstream =>
  ({ provider: { name, credential: { id: "" } }, model: "m", weight: 1, priority }) as Upstream;

async function run(
  upstreams: Upstream[],
  outcomes: Record<string, (FailureKind | "ok" | number)[]>,
  signal = new AbortController().signal,
) {
  const received: string[] = [];
  const started = performance.now();
  const result = await attempt({
    upstreams,
    health: new UpstreamHealth(),
    budget: new RetryBudget(),
    signal,
    random: () => 0.5,
    call: async ({ provider: { name } }) => {
      const outcome = outcomes[name]?.[received.filter((one) => one === name).length] ?? "ok";
      received.push(name);
      if (outcome === "ok") return `response of ${name}`;
      if (typeof outcome === "number")
        throw new UpstreamFailure("capacity", "wait", { status: 429, retryAfterMs: outcome });
      throw new UpstreamFailure(outcome, outcome, { status: 500 });
    },
  }).then(
    ({ value, attempts }) => ({ value, attempts, kind: undefined }),
    (error: unknown) => {
      assert.ok(error instanceof AttemptsFailed);
      return { value: undefined, attempts: error.attempts, kind: error.failure.kind };
    },
  );
  return { ...result, received: received.join(""), ms: performance.now() - started };
}
const a = upstream("a");
const b = upstream("b", 1);

test("returns the response of the first upstream that succeeds", async () => {
  assert.deepEqual((await run([a, b], {})).received, "a");
});

test("tries each upstream once before it retries any, and none more than three times", async () => {
  const bad: FailureKind[] = ["transient", "transient", "transient", "transient"];
  const result = await run([a, b], { a: bad, b: bad });
  assert.equal(result.received, "ababab");
  assert.equal(result.attempts, 6);
  assert.equal((await run([a, b], { a: ["transient", "ok"], b: ["unreachable"] })).received, "aba");
});

test("does not retry a request that the client must correct", async () => {
  const result = await run([a, b], { a: ["client"] });
  assert.equal(result.received, "a");
  assert.equal(result.kind, "client");
});

test("does not retry a permanent failure at the same upstream, but tries the next one", async () => {
  for (const kind of ["operator", "quota", "unknown_model", "timeout"] as const) {
    assert.equal((await run([a], { a: [kind, "ok"] })).received, "a", kind);
    assert.equal((await run([a, b], { a: [kind] })).received, "ab", kind);
  }
});

test("honours a short retry delay and reports a long one to the client", async () => {
  const short = await run([a], { a: [300, "ok"] });
  assert.equal(short.received, "aa");
  assert.ok(short.ms >= 295, `${short.ms} ms`);
  const long = await run([a], { a: [30_000, "ok"] });
  assert.equal(long.received, "a");
  assert.equal(long.kind, "capacity");
});

test("reports the most informative of several failures", async () => {
  assert.equal((await run([a, b], { a: [30_000], b: ["operator"] })).kind, "capacity");
  assert.equal((await run([a, b], { a: ["operator"], b: ["unknown_model"] })).kind, "unknown_model");
});

test("stops at a failure that the upstream charges for, and reports that one", async () => {
  const usage = { units: [{ name: "input_tokens", quantity: 3n }], raw: Buffer.from("{}") };
  for (const failure of [
    unusableResponse("not JSON"),
    new UpstreamFailure("transient", "an error with usage", { status: 200, usage }),
    new UpstreamFailure("operator", "an error with usage", { status: 200, usage }),
  ]) {
    const called: string[] = [];
    const call = async ({ provider: { name } }: Upstream): Promise<never> => {
      called.push(name);
      throw name === "b" ? failure : new UpstreamFailure("capacity", "wait", { status: 429, retryAfterMs: 30_000 });
    };
    const error = await attempt({
      upstreams: [a, b, upstream("c", 2)],
      health: new UpstreamHealth(),
      budget: new RetryBudget(),
      signal: new AbortController().signal,
      call,
    }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AttemptsFailed);
    assert.deepEqual([called, error.failure, error.attempts], [["a", "b"], failure, 2]);
  }
});

test("does not retry after the client disconnected", async () => {
  const controller = new AbortController();
  controller.abort();
  assert.equal((await run([a, b], { a: ["transient"] }, controller.signal)).received, "a");
});

test("reports the first failure at once when the retry budget is exhausted", async () => {
  const budget = new RetryBudget();
  while (budget.withdraw());
  let tries = 0;
  const options = { upstreams: [a], health: new UpstreamHealth(), signal: new AbortController().signal, budget };
  const call = () => {
    tries++;
    return Promise.reject(new UpstreamFailure("capacity", "wait", { status: 429, retryAfterMs: 1_500 }));
  };
  const startedAt = performance.now();
  await assert.rejects(attempt({ ...options, call }), AttemptsFailed);
  assert.equal(tries, 1);
  assert.ok(performance.now() - startedAt < 1_000, "does not wait for the delay that the upstream requested");
});

/** An upstream with several credentials, each named by its key. */
function pooled(provider: string, ids: string, priority = 0): Upstream {
  const pool: Upstream[] = [];
  for (const id of ids) {
    const credential = { id, name: id, weight: 1, priority: ids.indexOf(id), account: `=${id}`, seed: 1 };
    pool.push({ provider: { name: provider, credential }, model: "m", weight: 1, priority, pool } as never);
  }
  return pool[0] as Upstream;
}

/** Calls until a credential is not among those that fail; returns the credentials called. */
async function calledOf(
  upstreams: Upstream[],
  failing: Record<string, UpstreamFailure>,
  health = new UpstreamHealth(),
) {
  const called: string[] = [];
  const signal = new AbortController().signal;
  const call = async ({ provider: { name, credential } }: Upstream): Promise<void> => {
    called.push(`${name}.${credential.id}`);
    const failure = failing[credential.id];
    if (failure !== undefined) throw failure;
  };
  const result = await attempt({ upstreams, health, budget: new RetryBudget(), signal, call }).catch((e: unknown) => e);
  return { called, failure: result instanceof AttemptsFailed ? result.failure.kind : undefined };
}
const rejected = new UpstreamFailure("operator", "wrong key", { status: 401 });
const limited = new UpstreamFailure("capacity", "wait", { status: 429, retryAfterMs: 30_000 });

test("another credential is called after a failure of one, before any other upstream, and the next request begins with it", async () => {
  const health = new UpstreamHealth();
  const upstreams = [pooled("p", "abc"), pooled("q", "d", 1)];
  const failing = { a: rejected, b: limited };
  assert.deepEqual(await calledOf(upstreams, failing, health), { called: ["p.a", "p.b", "p.c"], failure: undefined });
  assert.deepEqual((await calledOf(upstreams, failing, health)).called, ["p.c"]);
});

test("another credential is not called after a failure of the upstream, nor after one that is charged", async () => {
  const upstreams = [pooled("p", "ab"), pooled("q", "d", 1)];
  const down = new UpstreamFailure("timeout", "too late");
  assert.deepEqual((await calledOf(upstreams, { a: down })).called, ["p.a", "q.d"]);
  const charged = new UpstreamFailure("operator", "usage", { usage: { units: [], raw: Buffer.alloc(0) } });
  assert.deepEqual(await calledOf(upstreams, { a: charged }), { called: ["p.a"], failure: "operator" });
});

test("each credential is called once, and the client learns the most informative failure", async () => {
  const result = await calledOf([pooled("p", "abc")], { a: limited, b: rejected, c: rejected });
  assert.deepEqual(result, { called: ["p.a", "p.b", "p.c"], failure: "capacity" });
});
