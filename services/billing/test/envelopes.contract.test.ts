import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { connectBooks } from "@uag/ledger/documents/connection";
import { modelsOn } from "@uag/ledger/documents/store";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import type { Envelope } from "@uag/proto/billing/v1/envelopes.ts";
import { digestKey } from "@uag/runtime/api-key";
import { newId } from "@uag/runtime/ids";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { prune } from "../src/grants/prune.ts";
import {
  acquireFields,
  type Clients,
  faults,
  fund,
  pepper,
  resolveKey,
  scratch,
  startBilling,
  usage,
} from "./harness.ts";

const holderId = "hold_envelopes";

const refused = (code: string, text: RegExp) => (error: unknown) =>
  (error as GatewayError).code === code && text.test((error as GatewayError).message);

const settings = { name: "", models: [], limits: undefined, expiresAtMs: 0n };

async function newKey(clients: Clients, accountId: string, fields: object = {}): Promise<string> {
  const { key } = await clients.keys.createKey({ ...settings, accountId, ...fields });
  return key?.id ?? "";
}

interface Opening {
  readonly accountId: string;
  readonly keyId: string;
  readonly amountNanoUsd?: bigint;
  readonly ttlSeconds?: number;
  readonly parentId?: string;
  readonly models?: string[];
  readonly idempotencyKey?: string;
}

async function open(clients: Clients, { accountId, keyId, ...fields }: Opening) {
  const defaults = { amountNanoUsd: 1_000n, ttlSeconds: 600, models: [], parentId: "", name: "run", requestId: "r" };
  const made = await clients.envelopes.createEnvelope({ scope: { accountId, keyId }, ...defaults, ...fields });
  const digest = digestKey(made.secret, Buffer.from(pepper, "hex"));
  return { envelope: made.envelope as Envelope, digest, secret: made.secret, replayed: made.replayed };
}

const callerOf = async (clients: Clients, digest: Buffer) => await resolveKey(clients, { digest, previousDigests: [] });

test("repeated and concurrent requests with one idempotency key open one envelope and return its key, also after its end", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const keyId = await newKey(billing, accountId);
  const request = { accountId, keyId, idempotencyKey: "run-1" };
  const opened = await Promise.all(Array.from({ length: 5 }, () => open(billing, request)));
  const [first] = opened;
  assert.ok(first !== undefined);
  for (const { envelope, secret } of opened) assert.deepEqual([envelope.id, secret], [first.envelope.id, first.secret]);
  assert.equal(opened.filter(({ replayed }) => replayed !== true).length, 1);
  assert.equal((await callerOf(billing, first.digest)).caller?.keyId, first.envelope.keyId);
  await assert.rejects(open(billing, { ...request, amountNanoUsd: 2n }), refused("idempotency_key_reuse", /another/));
  const others = [
    await open(billing, { ...request, keyId: await newKey(billing, accountId) }),
    await open(billing, { ...request, idempotencyKey: "run-2" }),
    await open(billing, { accountId, keyId }),
  ];
  assert.equal(new Set([first, ...others].map(({ secret }) => secret)).size, 4);
  await billing.envelopes.closeEnvelope({ scope: { accountId, keyId }, id: first.envelope.id, requestId: "r" });
  const again = await open(billing, request);
  assert.deepEqual([again.secret, again.envelope.open, again.replayed], [first.secret, false, true]);
});

test("the key of an envelope has the limits, budgets and models that its root has now", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const limits = { requestsPerMinute: 7n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
  const keyId = await newKey(billing, accountId, { limits, models: ["gpt-*"] });
  const { envelope, digest } = await open(billing, { accountId, keyId });
  const below = await open(billing, { accountId, keyId: envelope.keyId, models: ["gpt-4*", "gpt-5"] });
  const { caller } = await callerOf(billing, below.digest);
  assert.deepEqual(
    [caller?.rootKeyId, caller?.budgetIds, caller?.limits, caller?.models],
    [keyId, [below.envelope.id, envelope.id], limits, ["gpt-4*", "gpt-5"]],
  );
  const limited = { requestsPerMinute: 5n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
  const terms = { amountNanoUsd: 9n, period: BudgetPeriod.MONTH, hard: true, limits: limited, models: ["gpt-5"] };
  const budget = await billing.budgets.createBudget({ accountId, name: "team", parentId: "", ...terms });
  const change = { ...settings, id: keyId, budgetId: budget.id, models: ["gpt-5"], expiresAtMs: 4_000_000_000_000n };
  await billing.keys.updateKey({ ...change, fields: ["budget_id", "models"] });
  const after = await callerOf(billing, below.digest);
  assert.deepEqual(
    [after.caller?.budgetIds, after.caller?.models],
    [[below.envelope.id, envelope.id, budget.id], ["gpt-5"]],
  );
  const level = { id: budget.id, name: "team", limits: limited, models: ["gpt-5"], version: 1n };
  assert.deepEqual(after.caller?.levels, [level]);
  await billing.keys.updateKey({ ...change, models: ["o3"], fields: ["models"] });
  assert.deepEqual((await callerOf(billing, below.digest)).caller?.models, ["!none"], "none, not all");
  await billing.keys.updateKey({ ...change, expiresAtMs: 1n, fields: ["expires_at_ms"] });
  assert.equal((await callerOf(billing, digest)).caller?.expiresAtMs, 1n);
});

test("a grant stays within its envelope, the envelopes above it and the root key's monthly budget, and a refusal names what is exceeded", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const keyId = await newKey(billing, accountId);
  const top = await open(billing, { accountId, keyId, amountNanoUsd: 100n });
  const below = await open(billing, { accountId, keyId: top.envelope.keyId, amountNanoUsd: 100n });
  const budgetIds = [below.envelope.id, top.envelope.id];
  const first = await billing.grants.acquire({
    ...acquireFields({ accountId, holderId, needNanoUsd: 60n }),
    budgetIds,
  });
  assert.deepEqual([first.insufficient, first.envelopeLeftNanoUsd], [false, 40n]);
  const second = await billing.grants.acquire({
    ...acquireFields({ accountId, holderId, needNanoUsd: 50n }),
    budgetIds: [top.envelope.id],
  });
  assert.deepEqual(
    [second.insufficient, second.exceededBudget?.id, second.exceededBudget?.envelope, second.envelopeLeftNanoUsd],
    [true, top.envelope.id, true, 40n],
  );
  const event = { grantId: first.grantId, costNanoUsd: 30n, holdNanoUsd: 60n, keyId: below.envelope.keyId };
  await billing.ledger.settle({
    events: [usage({ accountId, holderId, ...event, budgetIds, rootKeyId: keyId, requestId: newId("req") })],
  });
  const { envelope, below: found } = await billing.envelopes.getEnvelope({
    scope: { accountId, keyId },
    id: top.envelope.id,
  });
  assert.deepEqual([envelope?.spentNanoUsd, envelope?.heldNanoUsd, found[0]?.spentNanoUsd], [30n, 30n, 30n]);
  const limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 40n };
  await billing.keys.updateKey({ ...settings, id: keyId, limits, fields: ["limits"] });
  const inMonth = { ...acquireFields({ accountId, holderId, needNanoUsd: 11n }), budgetIds, keyId };
  const third = await billing.grants.acquire(inMonth);
  assert.deepEqual(
    [third.budgetExceeded, third.exceededBudget, third.availableNanoUsd],
    [true, undefined, 10n],
    "the charge counts toward the month of the key that opened the envelope",
  );
  assert.deepEqual(await faults(billing), []);
});

test("a closed envelope gets no grant, and requests under way in it still settle", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const keyId = await newKey(billing, accountId);
  const top = await open(billing, { accountId, keyId });
  const below = await open(billing, { accountId, keyId: top.envelope.keyId });
  const budgetIds = [below.envelope.id, top.envelope.id];
  const { grantId } = await billing.grants.acquire({
    ...acquireFields({ accountId, holderId, needNanoUsd: 60n }),
    budgetIds,
  });
  const scope = { accountId, keyId };
  const closed = await billing.envelopes.closeEnvelope({ scope, id: top.envelope.id, requestId: "r" });
  assert.equal(closed.open, false);
  for (const { digest } of [top, below]) assert.equal((await callerOf(billing, digest)).revoked, true);
  const refusal = await billing.grants.acquire({
    ...acquireFields({ accountId, holderId, needNanoUsd: 1n }),
    budgetIds,
  });
  assert.deepEqual([refusal.insufficient, refusal.availableNanoUsd], [true, 0n]);
  await billing.ledger.settle({
    events: [
      usage({ accountId, holderId, grantId, costNanoUsd: 50n, holdNanoUsd: 60n, budgetIds, requestId: newId("req") }),
    ],
  });
  const { envelope } = await billing.envelopes.getEnvelope({ scope, id: top.envelope.id });
  assert.equal(envelope?.spentNanoUsd, 50n);
  await assert.rejects(
    open(billing, { accountId, keyId, parentId: below.envelope.id }),
    refused("invalid_request", /closed or has expired/),
  );
});

test("an envelope that is opened while the one above it, or its root, is closed does not stay open", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  for (const end of ["close", "revoke"]) {
    const keyId = await newKey(billing, accountId);
    const scope = { accountId, keyId };
    const top = await open(billing, { accountId, keyId });
    const opening = Array.from({ length: 6 }, () =>
      open(billing, { accountId, keyId, parentId: top.envelope.id }).catch((error: GatewayError) => error.code),
    );
    const ending =
      end === "close"
        ? billing.envelopes.closeEnvelope({ scope, id: top.envelope.id, requestId: "r" })
        : billing.keys.revokeKey({ id: keyId });
    const [, ...made] = await Promise.all([ending, ...opening]);
    const { envelopes } = await billing.envelopes.listEnvelopes({ scope, page: undefined });
    assert.ok(envelopes.length >= 1 && envelopes.every((one) => !one.open), end);
    for (const one of made) {
      if (typeof one === "object" && "digest" in one) assert.ok((await callerOf(billing, one.digest)).revoked, end);
      else assert.ok(["invalid_request", "permission_denied"].includes(String(one)), `${String(one)}`);
    }
  }
});

test("an administrator lists open and ended envelopes of one account or all, and closes one under their own name", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const anywhere = { accountId: "", keyId: "" };
  const opened: Envelope[] = [];
  for (let account = 0; account < 2; account += 1) {
    const accountId = await fund(billing, 9_000n);
    const keyId = await newKey(billing, accountId);
    const top = await open(billing, { accountId, keyId });
    const below = await open(billing, { accountId, keyId: top.envelope.keyId });
    opened.push(top.envelope, below.envelope);
  }
  const [top, below, other, belowOther] = opened as [Envelope, Envelope, Envelope, Envelope];
  const actor = { id: "tok_1", name: "Ada", requestId: "req_1", clientAddress: "" };
  const scope = { ...anywhere, accountId: top.accountId };
  const foreign = { ...anywhere, accountId: other.accountId };
  await assert.rejects(
    billing.envelopes.closeEnvelope({ scope: foreign, id: below.id, requestId: "", actor }),
    refused("not_found", /envelope does not exist/),
  );
  const closed = await billing.envelopes.closeEnvelope({ scope: anywhere, id: below.id, requestId: "", actor });
  assert.deepEqual([closed.id, closed.open], [below.id, false]);
  const idsOf = async (query: { scope: typeof anywhere; open?: boolean; page?: { limit: number; cursor: string } }) => {
    const { envelopes, nextCursor } = await billing.envelopes.listEnvelopes({ page: undefined, ...query });
    return { ids: envelopes.map(({ id }) => id), nextCursor };
  };
  const states = [undefined, true, false] as const;
  const ofAccount = await Promise.all(states.map((open) => idsOf({ scope, ...(open !== undefined && { open }) })));
  assert.deepEqual(
    ofAccount.map(({ ids }) => ids),
    [[below.id, top.id], [top.id], [below.id]],
  );
  const first = await idsOf({ scope: anywhere, open: true, page: { limit: 2, cursor: "" } });
  const last = await idsOf({ scope: anywhere, open: true, page: { limit: 2, cursor: first.nextCursor } });
  assert.deepEqual([first.ids, last.ids, last.nextCursor], [[belowOther.id, other.id], [top.id], ""]);
  using admin = createRpcClient<AdminServiceServer>(AdminServiceService, `127.0.0.1:${billing.grpcPort}`, insecure);
  const query = { accountId: "", targetId: below.id, action: "envelope.close", page: undefined };
  const { records } = await admin.listAuditRecords(query);
  assert.deepEqual(
    records.map((record) => [record.actor, record.accountId]),
    [[actor, top.accountId]],
  );
  const [{ before, after }] = records as [(typeof records)[number]];
  assert.deepEqual(JSON.parse(before), { closed_at: null });
  assert.deepEqual(JSON.parse(after), {
    closed_at: new Date(Number(closed.closedAtMs)).toISOString(),
    revoked_keys: [below.keyId],
  });
});

test("envelopes are not listed, changed, deleted or shared as budgets", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const keyId = await newKey(billing, accountId);
  const { envelope } = await open(billing, { accountId, keyId });
  const { id } = envelope;
  assert.deepEqual((await billing.budgets.listBudgets({ accountId, page: undefined })).budgets, []);
  await assert.rejects(billing.budgets.getBudget({ id }), refused("not_found", /budget does not exist/));
  await assert.rejects(billing.budgets.updateBudget({ id, hard: false }), refused("not_found", /does not exist/));
  await assert.rejects(billing.budgets.deleteBudget({ id }), refused("not_found", /does not exist/));
  await assert.rejects(newKey(billing, accountId, { budgetId: id }), refused("not_found", /no budget with this id/));
});

test("a run is deleted as a whole long after its end, once an audit was exact; its ledger rows stay and verify", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 9_000n);
  const keyId = await newKey(billing, accountId);
  const top = await open(billing, { accountId, keyId, ttlSeconds: 3_600 });
  const below = await open(billing, { accountId, keyId: top.envelope.keyId, ttlSeconds: 10 });
  const later = await open(billing, { accountId, keyId, ttlSeconds: 86_400 });
  const budgetIds = [below.envelope.id, top.envelope.id];
  const { grantId } = await billing.grants.acquire({
    ...acquireFields({ accountId, holderId, needNanoUsd: 60n }),
    budgetIds,
  });
  const charge = { grantId, costNanoUsd: 50n, holdNanoUsd: 60n, keyId: below.envelope.keyId };
  const events = [usage({ accountId, holderId, ...charge, budgetIds, rootKeyId: keyId, requestId: newId("req") })];
  await billing.ledger.settle({ events });
  const { MONGODB_URL: url = "", MONGODB_DATABASE: database = "" } = db.env;
  await using stack = new AsyncDisposableStack();
  const connection = await connectBooks({ url, database });
  stack.defer(() => connection.close());
  const store = { connection, ...modelsOn(connection) };
  const nowMs = Date.now();
  const hourMs = 3_600_000;
  const sums = async () => (await store.spending.find({}, { _id: 1 }).lean()).map(({ _id }) => _id.split("/")[1]);
  const pruneAt = async (hours: number) => {
    const clock = { moment: async () => nowMs + hours * hourMs };
    const pruned = await prune({ store, clock, auditDatabase: database, keepMs: 86_400_000, envelopeKeepMs: hourMs });
    return pruned.envelopes;
  };
  assert.equal(await pruneAt(3), 0, "no audit covered it");
  await connection.collection("verdicts").insertOne({ moment: new Date(nowMs + 9 * hourMs), exact: true });
  assert.equal(await pruneAt(1.5), 0, "the highest envelope of the run is too young");
  assert.equal((await sums()).length, 4);
  assert.equal(await pruneAt(3), 2);
  assert.deepEqual(await sums(), [keyId], "the month of the key that opened the run stays");
  const scope = { accountId, keyId };
  const { envelopes } = await billing.envelopes.listEnvelopes({ scope, page: undefined });
  assert.deepEqual(
    envelopes.map(({ id }) => id),
    [later.envelope.id],
  );
  await assert.rejects(callerOf(billing, top.digest), refused("not_found", /not found/));
  assert.deepEqual(await faults(billing), []);
  await billing.ledger.settle({ events });
  const account = await billing.accounts.getAccount({ id: accountId });
  assert.equal(account.chargedNanoUsd, 50n, "a repeated bill is charged once");
});
