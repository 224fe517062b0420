import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { KeyCache } from "./key-cache.ts";
import { knownKeyOf } from "./known-key.ts";

function stage(maxAgeMs = 60_000) {
  const state = {
    now: 1_000,
    heardSince: 0 as number | undefined,
    received: 0,
    guesses: 0,
    previous: [] as string[],
    response: good(),
  };
  const keys = new KeyCache({
    resolve: async (_request, why) => {
      state.received++;
      if (why === "guess") state.guesses++;
      return await state.response;
    },
    requestFor: (secret) =>
      secret.startsWith("sk-")
        ? { digest: Buffer.from(secret), previousDigests: state.previous.map((one) => Buffer.from(one + secret)) }
        : undefined,
    subscribedSince: () => state.heardSince,
    clock: { now: () => state.now, monotonic: () => state.now },
    maxAgeMs,
    maxEntries: 100,
  });
  const cache = {
    find: (secret: string, address = "192.0.2.1") => keys.known(secret) ?? keys.resolve(secret, address),
    dropBudget: (id: string) => keys.dropBudget(id),
    drop: (secret: string) => keys.drop(Buffer.from(secret).toString("hex")),
  };
  return { state, cache };
}

async function good(caller: Partial<Caller> = {}): Promise<ResolveKeyResponse> {
  return { caller: Caller.fromPartial({ keyId: "key_1", accountId: "acc_1", ...caller }), revoked: false };
}

function away(): Promise<ResolveKeyResponse> {
  const response = Promise.reject(new GatewayError("service_unavailable"));
  response.catch(() => undefined);
  return response;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const code = (expected: string) => (error: unknown) => error instanceof GatewayError && error.code === expected;

test("a cached key needs no lookup and returns the same encoded caller", async () => {
  const { cache, state } = stage();
  const first = await cache.find("sk-1");
  const second = cache.find("sk-1");
  assert.ok(!(second instanceof Promise));
  assert.equal(second.context, first.context);
  assert.equal(state.received, 1);
});

test("a malformed key is never looked up", async () => {
  const { cache, state } = stage();
  await assert.rejects(async () => cache.find("nonsense"), code("invalid_api_key"));
  assert.equal(state.received, 0);
});

test("a key expires by the clock, at every request", async () => {
  const { cache, state } = stage();
  state.response = good({ expiresAtMs: 5_000n });
  await cache.find("sk-1");
  state.now = 4_999;
  assert.ok(cache.find("sk-1"));
  state.now = 5_000;
  assert.throws(() => cache.find("sk-1"), /expired/);
});

test("a key removed from the cache is looked up again", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  cache.drop("sk-1");
  await cache.find("sk-1");
  assert.equal(state.received, 2);
});

test("when a budget changes, the keys that share it are looked up again, also those whose lookup is under way, and no others", async () => {
  const { cache, state } = stage();
  state.response = good({ budgetIds: ["bud_team", "bud_company"] });
  await cache.find("sk-1");
  state.response = good({ budgetIds: ["bud_other"] });
  await cache.find("sk-2");
  cache.dropBudget("bud_company");
  assert.ok(!(cache.find("sk-2") instanceof Promise));
  const first = cache.find("sk-1");
  assert.ok(first instanceof Promise);
  cache.dropBudget("bud_company");
  await first;
  assert.equal(state.received, 4, "what was read before the change is not kept");
});

test("without change messages a cached key is trusted for one second", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  state.heardSince = undefined;
  state.now += 999;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
  state.now += 1;
  state.response = away();
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("after a gap in the subscription, cached keys are trusted for one second", async () => {
  const { cache, state } = stage();
  await cache.find("sk-1");
  state.now += 5_000;
  state.heardSince = state.now;
  await cache.find("sk-1");
  assert.equal(state.received, 2);
});

test("a key is refreshed in the background at half its cache time", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.now += 5_000;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
  await settle();
  assert.equal(state.received, 2);
  state.now += 4_999;
  assert.ok(!(cache.find("sk-1") instanceof Promise));
});

test("with billing down a cached key works for five minutes at most", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.response = away();
  for (let age = 0; age < 299_000; age += 5_000) {
    state.now = 1_000 + age;
    await cache.find("sk-1");
    await settle();
  }
  assert.ok(state.received > 10 && state.received < 70);
  state.now = 302_000;
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("a key whose revocation message arrives while billing is down is not used again", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.response = away();
  cache.drop("sk-1");
  await assert.rejects(async () => cache.find("sk-1"), code("service_unavailable"));
});

test("an unknown key is looked up once in 30 s, and at once when it is created", async () => {
  const { cache, state } = stage();
  state.response = Promise.reject(new GatewayError("not_found"));
  for (let i = 0; i < 3; i++) {
    await assert.rejects(async () => cache.find("sk-1"), code("invalid_api_key"));
    state.now += 9_000;
  }
  assert.equal(state.received, 1);
  state.response = good();
  cache.drop("sk-1");
  assert.equal((await cache.find("sk-1")).keyId, "key_1");
});

test("with the broker down, a new key works within half a second", async () => {
  for (const unhear of [
    (state: ReturnType<typeof stage>["state"]) => {
      state.heardSince = undefined;
    },
    (state: ReturnType<typeof stage>["state"]) => {
      state.previous = ["old-"];
    },
  ]) {
    const { cache, state } = stage();
    unhear(state);
    state.response = Promise.reject(new GatewayError("not_found"));
    await assert.rejects(async () => cache.find("sk-1"), code("invalid_api_key"));
    state.response = good();
    state.now += 500;
    assert.equal((await cache.find("sk-1")).keyId, "key_1");
  }
});

test("a key change published under a previous pepper takes effect", async () => {
  const { cache, state } = stage();
  state.previous = ["old-", "older-"];
  await cache.find("sk-1");
  cache.drop("older-sk-1");
  await cache.find("sk-1");
  assert.equal(state.received, 2);
});

test("a guessing address is rate-limited and its lookups are batched, while its valid keys still work", async () => {
  const { cache, state } = stage();
  const none = Promise.reject(new GatewayError("not_found"));
  const guess = async (secret: string, address: string): Promise<string> => {
    state.response = none;
    const failure = await Promise.resolve(cache.find(secret, address)).catch((error: GatewayError) => error);
    return (failure as GatewayError).code;
  };
  state.response = good();
  await cache.find("sk-in-use");
  for (let i = 0; i < 20; i++) assert.equal(await guess(`sk-${i}`, "192.0.2.7"), "invalid_api_key");
  assert.equal(state.guesses, 0);
  assert.equal(await guess("sk-one-too-many", "192.0.2.7"), "rate_limit_exceeded");
  assert.equal(state.guesses, 1);
  assert.equal(await guess("sk-elsewhere", "192.0.2.8"), "invalid_api_key");
  assert.equal(state.guesses, 1);
  state.response = good();
  assert.ok(!(cache.find("sk-in-use", "192.0.2.7") instanceof Promise));
  assert.equal((await cache.find("sk-new", "192.0.2.7")).keyId, "key_1");
  state.now += 60_000;
  assert.equal(await guess("sk-later", "192.0.2.7"), "invalid_api_key");
});

test("a refresh that finds the key revoked stops its use", async () => {
  const { cache, state } = stage(10_000);
  await cache.find("sk-1");
  state.response = good().then((found) => ({ ...found, revoked: true }));
  state.now += 6_000;
  await cache.find("sk-1");
  await settle();
  await assert.rejects(async () => cache.find("sk-1"), /revoked/);
});

test("a key of a disabled account is refused as such, and works again once the account is enabled", async () => {
  const { cache, state } = stage();
  state.response = good().then((found) => ({ ...found, accountDisabled: true }));
  for (let i = 0; i < 2; i++) await assert.rejects(async () => cache.find("sk-1"), code("account_disabled"));
  assert.equal(state.received, 1);
  state.response = good();
  cache.drop("sk-1");
  assert.equal((await cache.find("sk-1")).keyId, "key_1");
});

test("the refusal of a revoked or expired key or a disabled account names its owner, and that of a nonexistent key names none", async () => {
  const ownerOf = async (response: Promise<ResolveKeyResponse>): Promise<unknown> => {
    const { cache, state } = stage();
    state.response = response;
    const refuse = async (): Promise<unknown> => {
      const found = async () => await cache.find("sk-1");
      return found().catch((error: GatewayError) => knownKeyOf(error));
    };
    const first = await refuse();
    assert.deepEqual(await refuse(), first, "from the cache too");
    return first;
  };
  const owner = { accountId: "acc_1", keyId: "key_1" };
  assert.deepEqual(await ownerOf(good().then((found) => ({ ...found, revoked: true }))), owner);
  const expired = ({ caller }: ResolveKeyResponse) => ({
    caller: caller && { ...caller, expiresAtMs: 1n },
    revoked: false,
  });
  assert.deepEqual(await ownerOf(good().then(expired)), owner);
  assert.deepEqual(await ownerOf(good().then((found) => ({ ...found, accountDisabled: true }))), owner);
  assert.equal(await ownerOf(Promise.reject(new GatewayError("not_found"))), undefined);
});
