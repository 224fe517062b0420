import assert from "node:assert/strict";
import { test } from "node:test";
import { keyChanged, keyChangedSubject } from "@uag/contract/messages/billing";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { generateKey } from "@uag/runtime/api-key";
import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { digestOf, startFakeBilling } from "./support/fake-billing.ts";
import { natsUrl, type Stage, startStage } from "./support/stage.ts";
import { startSwitchedBroker } from "./support/switched-broker.ts";

const status = async (stage: Stage, key = stage.key): Promise<number> => {
  const response = await stage.fetch("/v1/models", { authorization: `Bearer ${key}` });
  await response.text();
  return response.status;
};

async function publishChange(secret: string): Promise<void> {
  await using bus = await connectBus({
    settings: { NATS_URL: natsUrl() },
    name: "test",
    log: createLogger({ service: "test", level: "silent" }),
  });
  bus.connection.publish(keyChangedSubject, keyChanged.encode({ key_id: "key_1", digest: digestOf(secret) }));
  await bus.connection.flush();
}

test("a key with a wrong checksum is rejected without a lookup", async () => {
  await using stage = await startStage();
  const wrong = `${stage.key.slice(0, -1)}${stage.key.endsWith("0") ? "1" : "0"}`;
  for (const key of [wrong, "sk-short", "x".repeat(4_000)]) assert.equal(await status(stage, key), 401);
  assert.equal(stage.billing.lookups, 0);
});

test("concurrent requests with one key share a lookup, and each carries the caller", async () => {
  await using stage = await startStage();
  let release = (): void => undefined;
  stage.billing.hold = new Promise((resolve) => {
    release = resolve;
  });
  const responses = Array.from({ length: 10 }, () => status(stage));
  await waitFor(() => stage.billing.lookups > 0);
  release();
  assert.deepEqual(new Set(await Promise.all(responses)), new Set([200]));
  assert.equal(await status(stage), 200);
  assert.equal(stage.billing.lookups, 1);
  const caller = Caller.decode(stage.service.seen[0]?.context ?? Buffer.alloc(0));
  assert.deepEqual([caller.keyId, caller.accountId], ["key_1", "acc_1"]);
});

test("unknown keys are cached briefly, so that retries do not cause lookups", async () => {
  await using stage = await startStage();
  const unknown = generateKey();
  for (let i = 0; i < 10; i++) assert.equal(await status(stage, unknown), 401);
  assert.ok(stage.billing.lookups <= 2, `${stage.billing.lookups}`);
});

test("a revocation takes effect within a second of its message", async () => {
  await using stage = await startStage();
  assert.equal(await status(stage), 200);
  stage.billing.put(stage.key, {}, true);
  assert.equal(await status(stage), 200);
  await publishChange(stage.key);
  await waitFor(async () => (await status(stage)) === 401, { maxPolls: pollsWithin(1) });
});

test("a revocation that arrives during a lookup takes effect", async () => {
  await using stage = await startStage();
  let release = (): void => undefined;
  stage.billing.hold = new Promise((resolve) => {
    release = resolve;
  });
  const first = status(stage);
  await waitFor(() => stage.billing.lookups === 1);
  await publishChange(stage.key);
  await waitFor(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${stage.gateway.adminPort}/metrics`)).text();
    // Others on the same broker may announce changes of their keys meanwhile.
    return /uag_key_changes_total\{[^}]*\} [1-9]/.test(metrics);
  });
  release();
  await first;
  assert.equal(stage.billing.lookups, 2);
});

test("while billing is down, cached keys keep working and unknown keys get 503, never 401", async () => {
  await using stage = await startStage({ KEY_CACHE_MS: "200", FREE_REQUESTS_PER_MINUTE: "1000000" });
  assert.equal(await status(stage), 200);
  await stage.billing[Symbol.asyncDispose]();
  const unknown = generateKey();
  const response = await stage.fetch("/v1/models", { authorization: `Bearer ${unknown}` });
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get("retry-after")) >= 1);
  await response.text();
  const end = performance.now() + 1_500;
  for (let at = performance.now(); at < end; ) {
    const got = await status(stage);
    const stoodStillMs = performance.now() - at;
    // Without the broker for a second the cache trusts no key; the broker reconnects soon.
    if (stoodStillMs < 500) assert.equal(got, 200);
    else await waitFor(async () => (await status(stage)) === 200);
    at = performance.now();
  }
});

test("an expiring cache entry is refreshed without delaying a request", async () => {
  await using stage = await startStage({ KEY_CACHE_MS: "400" });
  assert.equal(await status(stage), 200);
  await waitFor(async () => (await status(stage)) === 200 && stage.billing.lookups >= 3);
});

test("while NATS is down a cached key is trusted for one second; with billing down too it gets 503", async () => {
  const broker = await startSwitchedBroker(natsUrl());
  await using stage = await startStage({ NATS_URL: broker.url });
  try {
    assert.equal(await status(stage), 200);
    assert.equal(stage.billing.lookups, 1);
    broker.cut();
    stage.billing.put(stage.key, {}, true);
    // One second of trust after the last ping response, which is itself at most one probe interval
    // old.
    await waitFor(async () => (await status(stage)) === 401, { maxPolls: pollsWithin(2.5) });
    stage.billing.put(stage.key, {});
    await waitFor(async () => (await status(stage)) === 200);
    await stage.billing[Symbol.asyncDispose]();
    await waitFor(async () => (await status(stage)) === 503);
  } finally {
    await broker[Symbol.asyncDispose]();
  }
});

test("a broker that stops responding counts as disconnected", async () => {
  const broker = await startSwitchedBroker(natsUrl());
  await using stage = await startStage({ NATS_URL: broker.url });
  try {
    assert.equal(await status(stage), 200);
    broker.mute();
    stage.billing.put(stage.key, {}, true);
    await waitFor(async () => (await status(stage)) === 401, { maxPolls: pollsWithin(4) });
  } finally {
    await broker[Symbol.asyncDispose]();
  }
});

test("when the broker reconnects, keys that may have changed are looked up again", async () => {
  const broker = await startSwitchedBroker(natsUrl());
  await using stage = await startStage({ NATS_URL: broker.url });
  try {
    assert.equal(await status(stage), 200);
    broker.cut();
    stage.billing.put(stage.key, {}, true);
    broker.mend();
    await waitFor(async () => (await status(stage)) === 401, { maxPolls: pollsWithin(5) });
  } finally {
    await broker[Symbol.asyncDispose]();
  }
});

test("lookups resume when billing is back", async () => {
  await using stage = await startStage();
  const { address } = stage.billing;
  await stage.billing[Symbol.asyncDispose]();
  assert.equal(await status(stage), 503);
  await using billing = await startFakeBilling(Number(address.split(":")[1]));
  billing.put(stage.key, {});
  await waitFor(async () => (await status(stage)) === 200);
});

test("guessing keys causes few lookups and gets 429, and a valid key from that address works at once", async () => {
  await using own = await startStage();
  assert.equal((await own.chat()).status, 200);
  const call = (key: string) => own.fetch("/v1/models", { authorization: `Bearer ${key}` });
  const before = own.billing.lookups;
  const startedAt = performance.now();
  const guesses = Array.from({ length: 600 }, () => generateKey());
  const statuses = new Map<number, number>();
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let key = guesses.pop(); key !== undefined; key = guesses.pop()) {
        const response = await call(key);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 429) assert.ok(Number(response.headers.get("retry-after")) >= 1);
      }
    }),
  );
  assert.deepEqual([...statuses.keys()].sort(), [401, 429]);
  // Those that are let off, and a few in each second that this took.
  const free = 100 + (5 * (performance.now() - startedAt)) / 1_000;
  assert.ok((statuses.get(401) ?? 0) <= free, `${statuses.get(401)} of ${free}`);
  assert.ok(own.billing.lookups - before <= free, `${own.billing.lookups - before} look-ups`);
  assert.equal((await own.chat()).status, 200);
  const fresh = generateKey();
  own.billing.put(fresh, { keyId: "key_fresh" });
  assert.equal((await call(fresh)).status, 200);
});

test("a key that was looked up before it existed works within a second of its creation", async () => {
  await using stage = await startStage();
  const made = generateKey();
  const call = () => stage.fetch("/v1/models", { authorization: `Bearer ${made}` });
  assert.equal((await call()).status, 401);
  stage.billing.put(made, { keyId: "key_made" });
  await publishChange(made);
  await waitFor(async () => (await call()).status === 200, { maxPolls: pollsWithin(1) });
});
