import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Child } from "@uag/harness/child";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { newId } from "@uag/runtime/ids";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { acquireFields, connectClients, faults, fund, scratch, startBilling, usage } from "./harness.ts";

const skewedClock = fileURLToPath(import.meta.resolve("@uag/harness/skewed-clock"));
const dayMs = 86_400_000;

/** Billing in a process whose clock is ahead, on a database that others use too. */
async function startSkewed(env: NodeJS.ProcessEnv, skewMs: number): Promise<Child> {
  const skew = { NODE_OPTIONS: `--import=${skewedClock}`, CLOCK_SKEW_MS: String(skewMs), LOG_LEVEL: "info" };
  return await new Child("billing", { ...(env as Record<string, string>), ...skew }).start();
}

const hourMs = 3_600_000;
/** A month is closed an hour after its end. */
const closesAfterMs = 2 * hourMs;

test("a process whose clock is 14 h ahead, in the next month, leaves this month's invoice open", async () => {
  await using db = scratch();
  await using right = await startBilling(db.env);
  const now = new Date();
  const month = now.toISOString().slice(0, 7);
  const nextMonthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const skewMs = Math.max(14 * hourMs, nextMonthMs + closesAfterMs - now.getTime());
  await using child = await startSkewed(db.env, skewMs);
  using skewed = connectClients(child.port);
  const address = `127.0.0.1:${child.port}`;
  using admin = createRpcClient<AdminServiceServer>(AdminServiceService, address, insecure);
  const accountId = await fund(skewed, 1_000n);
  const charge = async (costNanoUsd: bigint): Promise<void> => {
    const { grantId } = await right.grants.acquire(acquireFields({ accountId, holderId: "h1", needNanoUsd: 100n }));
    const event = usage({ requestId: newId("req"), accountId, grantId, costNanoUsd, holdNanoUsd: 100n });
    await skewed.ledger.settle({ events: [event] });
  };
  for (const [cost, total] of [
    [60n, 60n],
    [40n, 100n],
  ] as const) {
    await charge(cost);
    const { invoices } = await admin.listInvoices({ accountId });
    assert.deepEqual(
      invoices.map((one) => [one.month, one.closed, one.chargedNanoUsd]),
      [[month, false, total]],
    );
  }
});

test("a process whose clock is 400 days ahead gives keys and audit rows the database's time", async () => {
  await using db = scratch();
  await using child = await startSkewed(db.env, 400 * dayMs);
  using skewed = connectClients(child.port);
  const began = Date.now();
  const accountId = await fund(skewed, 1_000n);
  const request = { accountId, name: "k", models: [], expiresAtMs: 0n, limits: undefined };
  const { key } = await skewed.keys.createKey(request);
  const connection = await createConnection(db.env["MONGODB_URL"] ?? "", {
    dbName: db.env["MONGODB_DATABASE"] ?? "",
  }).asPromise();
  const rows = await connection.collection<{ at: Date }>("audit_log").find({ accountId }).toArray();
  await connection.close();
  assert.equal(rows.length, 3);
  for (const ms of [Number(key?.createdAtMs), ...rows.map(({ at }) => at.getTime())])
    assert.ok(ms >= began - 5_000 && ms <= Date.now() + 5_000, `a time is ${new Date(ms).toISOString()}`);
});

for (const [title, skewMs] of [
  ["400 days ahead", 400 * dayMs],
  ["40 days behind", -40 * dayMs],
] as const) {
  test(`numbers rows, months and budgets by the database's time in a process ${title}, which is unready and lends no permits`, async () => {
    await using db = scratch();
    await using right = await startBilling(db.env);
    const began = Date.now();
    await using child = await startSkewed(db.env, skewMs);
    using skewed = connectClients(child.port);
    const accountId = await fund(skewed, 1_000n);
    const refused = { code: "service_unavailable" };
    await assert.rejects(
      skewed.grants.acquire(acquireFields({ accountId, holderId: "h1", needNanoUsd: 100n })),
      refused,
    );
    const ready = await fetch(`http://127.0.0.1:${child.adminPort}/health/ready`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /The clock differs from the database's by -?\d+ ms/);

    // Requests admitted elsewhere are charged by any process.
    const { grantId } = await right.grants.acquire(acquireFields({ accountId, holderId: "h1", needNanoUsd: 100n }));
    const event = usage({ requestId: newId("req"), accountId, grantId, costNanoUsd: 60n, holdNanoUsd: 100n });
    await skewed.ledger.settle({ events: [event] });
    await skewed.accounts.topUp({ accountId, amountNanoUsd: 5n, reference: "second", note: "" });

    const connection = await createConnection(db.env["MONGODB_URL"] ?? "", {
      dbName: db.env["MONGODB_DATABASE"] ?? "",
      useBigInt64: true,
    }).asPromise();
    const rows = await connection.collection<{ seq: bigint; at: Date }>("ledger").find({ accountId }).toArray();
    const spending = await connection.collection<{ _id: string }>("spending").find({ accountId }).toArray();
    await connection.close();
    assert.equal(rows.length, 4);
    for (const { seq, at } of rows) {
      for (const ms of [at.getTime(), Number(seq / 1_000n)])
        assert.ok(ms >= began - 5_000 && ms <= Date.now() + 5_000, `a row is of ${new Date(ms).toISOString()}`);
    }
    const month = new Date().toISOString().slice(0, 7);
    assert.deepEqual(
      spending.map(({ _id }) => _id.slice(-month.length)),
      [month],
    );
    assert.deepEqual(await faults(right), []);
  });
}
