import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { FreeLimits, type FreeRequest } from "./free-limits.ts";

function stage({ perMinute = 600, concurrency = 1_000, maxWaitMs = 0 } = {}) {
  let now = 0;
  const clock = { monotonic: () => now, now: () => now };
  const limits = new FreeLimits({ clock, perMinute, concurrency, maxWaitMs });
  const enter = (more: Partial<FreeRequest> = {}, signal?: AbortSignal): Promise<Disposable> =>
    limits.enter({ keyId: "key", requestsPerMinute: 0, bodyBytes: 0, ...more }, signal);
  const call = async (more: Partial<FreeRequest> = {}): Promise<GatewayError | undefined> => {
    try {
      using _slot = await enter(more);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof GatewayError);
      return error;
    }
  };
  /** Number of requests that pass before the first refusal. */
  const burst = async (more: Partial<FreeRequest> = {}): Promise<number> => {
    for (let passed = 0; passed < 10_000; passed++) if ((await call(more)) !== undefined) return passed;
    return Number.POSITIVE_INFINITY;
  };
  return {
    enter,
    call,
    burst,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

test("a key that has used up its burst gets a retry time, after which one request passes", async () => {
  const { call, burst, wait } = stage();
  assert.equal(await burst(), 300);
  const refused = await call();
  assert.equal(refused?.code, "rate_limit_exceeded");
  assert.equal(refused?.retryAfterMs, 100);
  wait(refused?.retryAfterMs ?? 0);
  assert.equal(await burst(), 1);
  assert.equal(await burst({ keyId: "another key" }), 300);
});

test("an hour admits no more than the rate plus one burst", async () => {
  const { burst, wait } = stage();
  let passed = 0;
  for (let second = 0; second < 3_600; second++) {
    passed += await burst();
    wait(1_000);
  }
  assert.equal(passed, 300 + 10 * 3_599);
});

test("a key's own limit sets its rate, within bounds", async () => {
  assert.equal(await stage().burst({ requestsPerMinute: 120 }), 60);
  assert.equal(await stage().burst({ requestsPerMinute: 1 }), 30);
  assert.equal(await stage().burst({ requestsPerMinute: 1_000_000 }), 300);
});

test("a large body counts as several requests, and a body of unknown length as the largest", async () => {
  assert.equal(await stage().burst({ bodyBytes: 640 * 1024 }), 27);
  assert.equal(await stage().burst({ bodyBytes: undefined }), 1);
  assert.equal(await stage().burst({ bodyBytes: 32 * 1024 * 1024 }), 1);
});

test("a request beyond the concurrency limit waits for a slot", async () => {
  const { enter } = stage({ concurrency: 2, maxWaitMs: 5_000 });
  const first = await enter();
  await enter();
  let entered = false;
  const third = enter().then(() => {
    entered = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(entered, false);
  first[Symbol.dispose]();
  await third;
});

test("a request that gets no slot in time is refused, and so is one beyond the queue's length", async () => {
  const { enter } = stage({ concurrency: 1, maxWaitMs: 30 });
  await enter();
  const waiting = Array.from({ length: 16 }, () => enter());
  const refusal = { code: "concurrency_limit_exceeded" };
  await assert.rejects(enter(), refusal);
  for (const request of waiting) await assert.rejects(request, refusal);
});

test("a client that disconnects while it waits frees its place in the queue", async () => {
  const { enter } = stage({ concurrency: 1, maxWaitMs: 5_000 });
  const first = await enter();
  const gone = new AbortController();
  const left = enter({}, gone.signal);
  gone.abort();
  await assert.rejects(left, { name: "AbortError" });
  first[Symbol.dispose]();
  await enter();
});

test("a request waits for units that accumulate in time, and later requests wait behind it", async () => {
  const { call, enter } = stage({ perMinute: 60_000, maxWaitMs: 40 });
  for (let n = 0; n < 30_000; n++) await call();
  const startedAt = performance.now();
  const waiting = Array.from({ length: 40 }, () => enter());
  assert.equal((await call())?.code, "rate_limit_exceeded");
  await Promise.all(waiting);
  assert.ok(performance.now() - startedAt >= 38, "40 units accumulate in 40 ms");
});

test("forgets idle keys, and keeps the state of busy ones", async () => {
  const { burst, call, wait } = stage();
  wait(1_000_000);
  await burst({ keyId: "busy" });
  for (let n = 0; n < 5_000; n++) {
    wait(1);
    await call({ keyId: `key ${n}` });
  }
  assert.ok((await burst({ keyId: "busy" })) <= 50);
});
