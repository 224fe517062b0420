import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/kit/errors.ts";
import type { ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { KeyCache } from "./key-cache.ts";

function stage(maxAgeMs = 60_000) {
  const state = { now: 1_000, heardSince: 0 as number | undefined, asked: 0, answer: good() };
  const cache = new KeyCache({
    resolve: async () => {
      state.asked++;
      return await state.answer;
    },
    digest: (secret) => (secret.startsWith("sk-") ? Buffer.from(secret) : undefined),
    heardSince: () => state.heardSince,
    clock: { now: () => state.now, monotonic: () => state.now },
    maxAgeMs,
    maxEntries: 100,
  });
  return { state, cache };
}

async function good(caller: Partial<Caller> = {}): Promise<ResolveKeyResponse> {
  return { caller: Caller.fromPartial({ keyId: "key_1", accountId: "acc_1", ...caller }), revoked: false };
}

function away(): Promise<ResolveKeyResponse> {
  const answer = Promise.reject(new GatewayError("service_unavailable"));
  answer.catch(() => undefined);
  return answer;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const code = (expected: string) => (error: unknown) => error instanceof GatewayError && error.code === expected;

test("a known key costs no look-up and hands out the same encoded caller", async () => {
  const { cache, state } = stage();
  const first = await cache.find("sk-1");
  const second = cache.find("sk-1");
  assert.ok(!(second instanceof Promise));
  assert.equal(second.context, first.context);
  assert.equal(state.asked, 1);
});

test("what cannot be a key is never looked up", () => {
  const { cache, state } = stage();
  assert.throws(() => cache.find("nonsense"), code("invalid_api_key"));
  assert.equal(state.asked, 0);
});

test("a key expires by the clock, at every request", async () => {
  const { cache, state } = stage();
  state.answer = good({ expiresAtMs: 5_000n });
  await cache.find("sk-1");
  state.now = 4_999;
  assert.ok(cache.find("sk-1"));
  state.now = 5_000;
  assert.throws(() => cache.find("sk-1"), /expired/);
});

test("a dropped key is asked for again", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  cache.drop(Buffer.from("sk-1").toString("hex"));
  await cache.find("sk-1");
  assert.equal(state.asked, 2);
});

test("with changes unheard a key is trusted for a second", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  state.heardSince = undefined;
  state.now += 999;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
  state.now += 1;
  state.answer = away();
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("what was learned before a gap in hearing counts no longer than a second", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  state.now += 5_000;
  state.heardSince = state.now;
  await cache.find("sk-1");
  assert.equal(state.asked, 2);
});

test("a key is refreshed at half its time, behind the request", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.now += 5_000;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
  await settle();
  assert.equal(state.asked, 2);
  state.now += 4_999;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
});

test("with billing away a heard key goes on for five minutes and no longer", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.answer = away();
  for (let age = 0; age < 299_000; age += 5_000) {
    state.now = 1_000 + age;
    await cache.find("sk-1");
    await settle();
  }
  assert.ok(state.asked > 10 && state.asked < 70);
  state.now = 302_000;
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("a key revoked while billing was away and the message heard is not used again", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.answer = away();
  cache.drop(Buffer.from("sk-1").toString("hex"));
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("a refusal lasts two seconds, and not when the key changes", async () => {
  const { cache, state } = stage();
  state.answer = Promise.reject(new GatewayError("not_found"));
  await assert.rejects(async () => cache.find("sk-1"), code("invalid_api_key"));
  await assert.rejects(async () => cache.find("sk-1"), code("invalid_api_key"));
  assert.equal(state.asked, 1);
  state.answer = good();
  cache.drop(Buffer.from("sk-1").toString("hex"));
  assert.equal((await cache.find("sk-1")).keyId, "key_1");
});

test("a refresh that finds the key revoked ends its use", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.answer = good().then((found) => ({ ...found, revoked: true }));
  state.now += 6_000;
  await cache.find("sk-1");
  await settle();
  assert.throws(() => cache.find("sk-1"), /revoked/);
});
