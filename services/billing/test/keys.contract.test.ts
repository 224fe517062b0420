import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import { digestKey, parseKey } from "@uag/runtime/api-key";
import { connectBus } from "@uag/runtime/bus";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { assertConflictsWithGrant, fund, pepper, resolveKey, scratch, startBilling } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;
const limits = { requestsPerMinute: 60n, tokensPerMinute: 0n, concurrentRequests: 5n, monthlyBudgetNanoUsd: 0n };
const digestOf = (secret: string): Buffer => digestKey(secret, Buffer.from(pepper, "hex"));

test("a key resolves by its secret's digest until it is revoked, and every change is announced", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: db.env["NATS_URL"]! }, name: "test", log });
  const heard: { key_id: string; digest: string }[] = [];
  bus.subscribe("billing.key-changed", (data) => heard.push(JSON.parse(Buffer.from(data).toString())));
  await bus.connection.flush();

  const accountId = await fund(billing, 1n);
  const { key, secret } = await billing.keys.createKey({
    accountId,
    name: "first",
    models: ["gpt-*"],
    limits,
    expiresAtMs: 0n,
  });
  assert.equal(parseKey(secret), secret);
  const digest = digestOf(secret);
  const { caller, revoked } = await resolveKey(billing, { digest, previousDigests: [] });
  const known = { keyId: key!.id, accountId, models: ["gpt-*"], expiresAtMs: 0n, limits, version: 1n };
  assert.deepEqual(caller, {
    ...known,
    keepsNoAnswers: false,
    lowersOutputCap: false,
    storesResponses: false,
    routingStrategy: "",
    budgetIds: [],
    levels: [],
    endUsers: undefined,
    rootKeyId: undefined,
  });
  assert.equal(revoked, false);

  const change = { id: key!.id, name: "second", models: ["never"], limits: undefined, expiresAtMs: 5n };
  const updated = await billing.keys.updateKey({ ...change, fields: ["name", "expires_at_ms"] });
  assert.deepEqual([updated.name, updated.models, updated.expiresAtMs, updated.version], ["second", ["gpt-*"], 5n, 2n]);
  await assert.rejects(billing.keys.updateKey({ ...change, fields: ["digest"] }), refused("invalid_request"));
  const routed = (routingStrategy: string) =>
    billing.keys.updateKey({ ...change, routingStrategy, fields: ["routing_strategy"] });
  await assert.rejects(routed("cheapest"), refused("invalid_request"));
  assert.equal((await routed("weighted")).routingStrategy, "weighted");
  const called = (await resolveKey(billing, { digest, previousDigests: [] })).caller;
  assert.equal(called?.routingStrategy, "weighted");
  assert.equal((await routed("")).version, 4n);

  await billing.keys.revokeKey({ id: key!.id });
  const again = await billing.keys.revokeKey({ id: key!.id });
  assert.equal(again.version, 5n);
  assert.equal((await resolveKey(billing, { digest, previousDigests: [] })).revoked, true);
  await assert.rejects(resolveKey(billing, { digest: Buffer.alloc(32), previousDigests: [] }), refused("not_found"));
  await waitFor(async () => heard.filter((event) => event.key_id === key!.id).length === 6, {
    what: "the announcements",
  });
  assert.ok(
    heard.filter((event) => event.key_id === key!.id).every((event) => event.digest === digest.toString("hex")),
  );
});

test("a budget that changes while a grant is being issued by the former one fails that grant's transaction", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const monthly = (monthlyBudgetNanoUsd: bigint) => ({ ...limits, monthlyBudgetNanoUsd });
  const created = await billing.keys.createKey({
    accountId,
    name: "k",
    models: [],
    limits: monthly(900n),
    expiresAtMs: 0n,
  });
  const key = created.key!;
  const change = { id: key.id, name: "", models: [], expiresAtMs: 0n, limits: monthly(10n), fields: ["limits"] };
  await assertConflictsWithGrant(db, { collection: "keys", id: key.id, accountId }, () =>
    billing.keys.updateKey(change),
  );

  const acquired = await billing.grants.acquire({
    holderId: newId("hd"),
    requestId: newId("req"),
    accountId,
    keyId: key.id,
    taskUntilMs: 0n,
    budgetIds: [],
    needNanoUsd: 11n,
    wantNanoUsd: 900n,
  });
  assert.deepEqual([acquired.insufficient, acquired.budgetExceeded], [true, true]);
});

test("a lowered limit is in force for requests that were authenticated before the change", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const { key } = await billing.keys.createKey({ accountId, name: "", models: [], limits, expiresAtMs: 0n });
  const { id } = key!;
  const holderId = newId("lim");
  await billing.limits.renew({ holderId });
  const borrow = async (kind: LimitKind, limit: bigint, want: bigint, sequence: bigint): Promise<number> => {
    const stale = { holderId, keyId: id, kind, limit, keyVersion: 1n, need: 1n, want, returned: [], sequence };
    const { lent } = await billing.limits.borrow(stale);
    return lent.reduce((sum, { count }) => sum + Number(count), 0);
  };
  assert.equal(await borrow(LimitKind.CONCURRENCY, 5n, 1n, 1n), 1);
  const lowered = { ...limits, requestsPerMinute: 2n, concurrentRequests: 3n };
  await billing.keys.updateKey({ id, name: "", models: [], limits: lowered, expiresAtMs: 0n, fields: ["limits"] });
  assert.equal(await borrow(LimitKind.REQUESTS, 60n, 60n, 2n), 2, "no permit was borrowed before the change");
  assert.equal(await borrow(LimitKind.CONCURRENCY, 5n, 5n, 3n), 2, "a permit was borrowed before the change");
});

test("lists keys newest first, page by page, and revoked ones only on request", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { key } = await billing.keys.createKey({ accountId, name: `k${i}`, models: [], limits, expiresAtMs: 0n });
    ids.unshift(key!.id);
    await waitFor(async () => Date.now() > Number(key!.createdAtMs) + 1, { what: "the next millisecond" });
  }
  await billing.keys.revokeKey({ id: ids[1]! });
  const list = async (includeRevoked: boolean): Promise<string[]> => {
    const found: string[] = [];
    let cursor = "";
    do {
      const page = await billing.keys.listKeys({ accountId, includeRevoked, page: { limit: 2, cursor } });
      found.push(...page.keys.map((key) => key.id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    return found;
  };
  assert.deepEqual(await list(true), ids);
  assert.deepEqual(
    await list(false),
    ids.filter((id) => id !== ids[1]),
  );
});

test("a key requires an account and valid fields", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const good = { accountId, name: "", models: [], limits, expiresAtMs: 0n };
  await assert.rejects(billing.keys.createKey({ ...good, accountId: "nobody" }), refused("not_found"));
  await assert.rejects(billing.keys.createKey({ ...good, models: [""] }), refused("invalid_request"));
  await assert.rejects(billing.keys.createKey({ ...good, expiresAtMs: -1n }), refused("invalid_request"));
  await assert.rejects(
    billing.keys.createKey({ ...good, limits: { ...limits, requestsPerMinute: -1n } }),
    refused("invalid_request"),
  );
  await assert.rejects(billing.keys.getKey({ id: "nobody" }), refused("not_found"));
});
