import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { AttemptsFailed, attempt } from "./attempt.ts";
import { type FailureKind, UpstreamFailure, unusableResponse } from "./failure.ts";
import { UpstreamHealth } from "./health.ts";
import { RetryBudget } from "./retry-budget.ts";

const upstream = (name: string, priority = 0): Upstream =>
  ({ provider: { name }, model: "m", weight: 1, priority }) as Upstream;

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
