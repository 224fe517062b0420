import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type AdminServiceServer, AdminServiceService, RepairState } from "@uag/proto/billing/v1/admin.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { digestKey } from "@uag/runtime/api-key";
import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import {
  acquireFields,
  catalogFile,
  faults,
  fund,
  pepper,
  resolveKey,
  scratch,
  startBilling,
  usage,
} from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;
const digestOf = (secret: string): Buffer => digestKey(secret, Buffer.from(pepper, "hex"));
const actor = { id: "admtok_x", name: "Ada", requestId: "req_1" };
const limits = { requestsPerMinute: 60n, tokensPerMinute: 9n, concurrentRequests: 5n, monthlyBudgetNanoUsd: 0n };
const everything = { accountId: "", targetId: "", action: "", page: undefined };
const adminOn = (port: number): RpcClient<AdminServiceServer> =>
  createRpcClient<AdminServiceServer>(AdminServiceService, `127.0.0.1:${port}`, insecure);

const catalogue = (usd: number): string => `
providers:
  there: {protocol: openai, base_url: "\${NOT_SET}", api_key: "\${NOT_SET_EITHER}"}
models:
  - {id: test-model, owned_by: test, created: 1700000000, operations: [chat.completions], context_tokens: 1000,
     max_output_tokens: 100, price: {input_tokens: ${usd}, output_tokens: ${usd}}, upstreams: [{provider: there}]}
`;

test("a regenerated key accepts its old secret until the overlap ends, and both resolve to the same key", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  using admin = adminOn(billing.grpcPort);
  const accountId = await fund(billing, 1n);
  const first = await billing.keys.createKey({ accountId, name: "k", models: [], limits, expiresAtMs: 0n });
  const id = first.key?.id ?? "";
  const endOf = async (secret: string) => {
    const { caller } = await resolveKey(billing, { digest: digestOf(secret), previousDigests: [] });
    assert.equal(caller?.keyId, id);
    return Number(caller?.expiresAtMs);
  };
  const before = Date.now();
  const second = await admin.regenerateKey({ id, overlapMs: 60_000n, actor });
  assert.notEqual(second.secret, first.secret);
  assert.equal(await endOf(second.secret), 0);
  const end = await endOf(first.secret);
  assert.ok(end >= before + 60_000 && end <= Date.now() + 60_000);
  const third = await admin.regenerateKey({ id, overlapMs: 0n, actor });
  for (const secret of [first.secret, second.secret]) assert.ok((await endOf(secret)) <= Date.now());
  assert.equal(await endOf(third.secret), 0);
  await billing.keys.revokeKey({ id, actor });
  assert.equal((await resolveKey(billing, { digest: digestOf(third.secret), previousDigests: [] })).revoked, true);
  await assert.rejects(admin.regenerateKey({ id, overlapMs: 0n, actor }), refused("invalid_request"));
  await assert.rejects(admin.regenerateKey({ id: "nobody", overlapMs: 0n, actor }), refused("not_found"));
});

test("concurrent changes of different limits of a key both take effect", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const { key } = await billing.keys.createKey({ accountId, name: "k", models: [], limits, expiresAtMs: 0n });
  const id = key?.id ?? "";
  const change = (field: string, given: Partial<typeof limits>) =>
    billing.keys.updateKey({
      id,
      fields: [field],
      name: "",
      models: [],
      expiresAtMs: 0n,
      actor,
      limits: { ...limits, ...given },
    });
  await Promise.all([
    change("limits.requests_per_minute", { requestsPerMinute: 7n, tokensPerMinute: 1n }),
    change("limits.tokens_per_minute", { tokensPerMinute: 8n, requestsPerMinute: 1n }),
  ]);
  const after = await billing.keys.getKey({ id });
  assert.deepEqual(after.limits, { ...limits, requestsPerMinute: 7n, tokensPerMinute: 8n });
  assert.equal(after.version, 3n);
});

test("disabling and enabling an account is announced for each of its keys, which then resolve as disabled or enabled", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: db.env["NATS_URL"]! }, name: "test", log });
  using admin = adminOn(billing.grpcPort);
  const accountId = await fund(billing, 1n);
  const other = await fund(billing, 1n);
  const made = { name: "", models: [], limits, expiresAtMs: 0n };
  const keys = [];
  for (const owner of [accountId, accountId, other])
    keys.push(await billing.keys.createKey({ accountId: owner, ...made }));
  const heard: string[] = [];
  bus.subscribe("billing.key-changed", (data) => heard.push(JSON.parse(Buffer.from(data).toString()).digest));
  await bus.connection.flush();

  const [first, second, third] = keys.map(({ secret }) => digestOf(secret)) as [Buffer, Buffer, Buffer];
  const isDisabled = async (digest: Buffer) =>
    (await resolveKey(billing, { digest, previousDigests: [] })).accountDisabled;
  for (const disabled of [true, false]) {
    heard.length = 0;
    assert.equal((await admin.updateAccount({ id: accountId, disabled, actor })).disabled, disabled);
    await waitFor(() => heard.length === 2, { what: "the announcements" });
    assert.deepEqual(heard.toSorted(), [first, second].map((digest) => digest.toString("hex")).toSorted());
    assert.deepEqual([await isDisabled(first), await isDisabled(third)], [disabled, false]);
  }
  await admin.updateAccount({ id: accountId, name: "renamed", actor });
  await bus.connection.flush();
  assert.equal(heard.length, 2, "a new name is not announced");
});

test("records every change with its actor and the previous values, and without secrets", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  using admin = adminOn(billing.grpcPort);
  await billing.accounts.createAccount({ id: "acme", name: "Acme", actor });
  await admin.updateAccount({ id: "acme", name: "Acme 2", actor });
  const topUp = { accountId: "acme", amountNanoUsd: 5n, reference: "r", note: "n", actor };
  await Promise.all([billing.accounts.topUp(topUp), billing.accounts.topUp(topUp)]);
  const fields = { accountId: "acme", name: "k", models: [], limits, expiresAtMs: 0n, metadata: '{"a":1}', actor };
  const { key, secret } = await billing.keys.createKey(fields);
  const id = key?.id ?? "";
  await billing.keys.updateKey({ ...fields, id, fields: ["name", "metadata"], name: "k2", metadata: "{}" });
  const renewed = await admin.regenerateKey({ id, overlapMs: 0n, actor });
  await billing.keys.revokeKey({ id, actor });
  await billing.keys.revokeKey({ id, actor });
  const made = await admin.createAdminToken({ name: "ci", actor });
  await admin.revokeAdminToken({ id: made.token?.id ?? "", actor });
  const records = [];
  let cursor = "";
  do {
    const page = await admin.listAuditRecords({ ...everything, page: { limit: 2, cursor } });
    records.push(...page.records);
    cursor = page.nextCursor;
  } while (cursor !== "");
  const actions = records.map(({ action }) => action).reverse();
  assert.deepEqual(actions, [
    "account.create",
    "account.update",
    "account.top_up",
    "key.create",
    "key.update",
    "key.regenerate",
    "key.revoke",
    "admin_token.create",
    "admin_token.revoke",
  ]);
  assert.ok(records.every((record) => record.actor?.name === "Ada" && record.actor.requestId === "req_1"));
  const text = JSON.stringify(records, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  for (const hidden of [secret, renewed.secret, made.secret]) assert.ok(!text.includes(hidden));
  const [update] = (await admin.listAuditRecords({ ...everything, action: "key.update" })).records;
  assert.equal(JSON.parse(update?.before ?? "").key_alias, "k");
  assert.deepEqual(JSON.parse(update?.after ?? "").metadata, {});
  assert.equal((await admin.listAuditRecords({ ...everything, targetId: id })).records.length, 4);
  await assert.rejects(
    admin.listAuditRecords({ ...everything, page: { limit: 0, cursor: "AAAA" } }),
    refused("invalid_request"),
  );
});

test("an admin token resolves until it is revoked; the environment's token follows the environment", async () => {
  await using db = scratch();
  const first = "first-token-of-this-fleet-1234";
  {
    await using billing = await startBilling({ ...db.env, ADMIN_TOKEN: first });
    using admin = adminOn(billing.grpcPort);
    assert.equal((await admin.resolveAdminToken({ digest: digestOf(first), previousDigests: [] })).name, "ADMIN_TOKEN");
    const { token, secret } = await admin.createAdminToken({ name: "ci", actor });
    assert.equal((await admin.resolveAdminToken({ digest: digestOf(secret), previousDigests: [] })).id, token?.id);
    await admin.revokeAdminToken({ id: token?.id ?? "", actor });
    await assert.rejects(
      admin.resolveAdminToken({ digest: digestOf(secret), previousDigests: [] }),
      refused("not_found"),
    );
    assert.equal((await admin.listAdminTokens({ page: undefined })).tokens.length, 2);
    await assert.rejects(resolveKey(billing, { digest: digestOf(first), previousDigests: [] }), refused("not_found"));
  }
  await using billing = await startBilling({ ...db.env, ADMIN_TOKEN: "another-token-of-this-fleet-5678" });
  using admin = adminOn(billing.grpcPort);
  await assert.rejects(admin.resolveAdminToken({ digest: digestOf(first), previousDigests: [] }), refused("not_found"));
});

test("repairs an unpriced request once, with an additional row at the catalogue's price", async () => {
  await using db = scratch();
  await using file = await catalogFile(catalogue(1_000));
  await using billing = await startBilling({ ...db.env, CATALOG_FILE: file.path });
  using admin = adminOn(billing.grpcPort);
  const accountId = await fund(billing, 50_000_000n);
  const unpriced = { accountId, pricing: Pricing.UNPRICED, costNanoUsd: 0n, holdNanoUsd: 46_000_000n };
  const events = [
    usage({ ...unpriced, requestId: "r1" }),
    usage({ ...unpriced, requestId: "r2", model: "unknown" }),
    usage({ ...unpriced, requestId: "r3", units: [] }),
    usage({ ...unpriced, requestId: "r4" }),
    usage({ accountId, requestId: "r5", costNanoUsd: 1n }),
  ];
  await billing.ledger.settle({ events });
  const repair = (requestId: string, dryRun = false) =>
    admin.repairUnpriced({ requestId, dryRun, page: { limit: 3, cursor: "" }, actor });
  const { repairs: planned } = await repair("r1", true);
  assert.deepEqual([planned[0]?.state, planned[0]?.chargedNanoUsd], [RepairState.REPAIRED, 46_000_000n]);
  assert.equal((await billing.accounts.getAccount({ id: accountId })).availableNanoUsd, 49_999_999n);

  const responses = await Promise.all([repair("r1"), repair("r1"), repair("r1")]);
  assert.ok(responses.every(({ repairs }) => repairs[0]?.chargedNanoUsd === 46_000_000n));
  assert.equal(responses.filter(({ repairs }) => repairs[0]?.state === RepairState.REPAIRED).length, 1);
  const all = await repair("");
  const { NO_PRICE, NO_USAGE, EARLIER } = RepairState;
  assert.deepEqual(
    all.repairs.map(({ state }) => state),
    [EARLIER, NO_PRICE, NO_USAGE],
  );
  const rest = await admin.repairUnpriced({
    requestId: "",
    dryRun: false,
    actor,
    page: { limit: 3, cursor: all.nextCursor },
  });
  assert.deepEqual(
    rest.repairs.map(({ chargedNanoUsd, writtenOffNanoUsd }) => [chargedNanoUsd, writtenOffNanoUsd]),
    [[3_999_999n, 42_000_001n]],
  );
  const { entries } = await billing.ledger.listEntries({ accountId: "", requestId: "r1", page: undefined });
  assert.deepEqual(
    entries.map(({ kind, chargedNanoUsd }) => [kind, chargedNanoUsd]),
    [
      ["repair", 46_000_000n],
      ["settle", 0n],
    ],
  );
  assert.equal((await admin.listAuditRecords({ ...everything, action: "ledger.repair" })).records.length, 2);
  assert.deepEqual(await faults(billing), []);
  await assert.rejects(repair("r5"), refused("invalid_request"));
  const repairAt = (requestId: string, costNanoUsd: bigint) =>
    admin.repairUnpriced({ requestId, dryRun: false, page: undefined, actor, costNanoUsd });
  await assert.rejects(repairAt("", 5n), refused("invalid_request"));
  const { repairs: reported } = await repairAt("r3", 5n);
  assert.deepEqual([reported[0]?.state, reported[0]?.event?.priceVersion], [RepairState.REPAIRED, "manual"]);
  assert.equal((reported[0]?.chargedNanoUsd ?? 0n) + (reported[0]?.writtenOffNanoUsd ?? 0n), 5n);
  assert.deepEqual((await repairAt("r3", 9n)).repairs[0]?.state, EARLIER);
  assert.deepEqual(await faults(billing), []);
  await assert.rejects(repair("nothing"), refused("not_found"));
  await db.tamper("ledger", { _id: "settle:r1" }, { $set: { "event.pricing": Pricing.EXACT } });
  assert.match((await faults(billing)).join(), /repair:r1 repairs a request that was priced/);
});

test("corrects a provisional charge down or up, and implausible usage only by a given cost", async () => {
  await using db = scratch();
  await using file = await catalogFile(catalogue(1_000));
  await using billing = await startBilling({ ...db.env, CATALOG_FILE: file.path });
  using admin = adminOn(billing.grpcPort);
  const accountId = await fund(billing, 100_000_000n);
  const { grantId } = await billing.grants.acquire(
    acquireFields({ holderId: "h", accountId, needNanoUsd: 60_000_000n }),
  );
  const held = { accountId, grantId, pricing: Pricing.UNPRICED };
  const events = [
    usage({ ...held, requestId: "down", holdNanoUsd: 50_000_000n, costNanoUsd: 50_000_000n }),
    usage({ ...held, requestId: "up", holdNanoUsd: 6_000_000n, costNanoUsd: 6_000_000n }),
    usage({ ...held, requestId: "huge", holdNanoUsd: 4_000_000n, costNanoUsd: 4_000_000n }),
  ];
  await billing.ledger.settle({ events });
  const account = () => billing.accounts.getAccount({ id: accountId });
  assert.deepEqual([(await account()).availableNanoUsd, (await account()).chargedNanoUsd], [40_000_000n, 60_000_000n]);
  const repair = (requestId: string, costNanoUsd?: bigint) =>
    admin.repairUnpriced({ requestId, dryRun: false, page: undefined, actor, ...(costNanoUsd && { costNanoUsd }) });
  const states = (await repair("")).repairs.map(({ state, chargedNanoUsd }) => [state, chargedNanoUsd]);
  const { REPAIRED, IMPLAUSIBLE, EARLIER } = RepairState;
  // The catalogue prices each of them at 46,000,000.
  assert.deepEqual(states, [
    [REPAIRED, -4_000_000n],
    [IMPLAUSIBLE, 0n],
    [REPAIRED, 40_000_000n],
  ]);
  assert.deepEqual([(await account()).availableNanoUsd, (await account()).chargedNanoUsd], [4_000_000n, 96_000_000n]);
  assert.deepEqual(await faults(billing), []);
  assert.equal((await repair("huge", 1_000_000n)).repairs[0]?.chargedNanoUsd, -3_000_000n);
  assert.deepEqual((await repair("huge", 1n)).repairs[0]?.state, EARLIER);
  assert.deepEqual([(await account()).availableNanoUsd, (await account()).chargedNanoUsd], [7_000_000n, 93_000_000n]);
  await billing.grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 60_000_000n });
  assert.deepEqual(await faults(billing), []);
  await db.tamper("ledger", { _id: "repair:down" }, { $inc: { available: 1n, charged: -1n } });
  assert.match((await faults(billing)).join(), /repair:down/);
});
