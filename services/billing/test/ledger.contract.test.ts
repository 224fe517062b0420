import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { newId } from "@uag/runtime/ids";
import { acquireFields, faults, fund, scratch, startBilling, usage } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;

test("charges events once when two replicas settle them concurrently in overlapping batches", async () => {
  await using db = scratch();
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accounts = [await fund(one, 10_000_000n), await fund(one, 10_000_000n)];
  const grants = await Promise.all(
    accounts.map((accountId) =>
      one.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 5_000_000n })),
    ),
  );
  const events = Array.from({ length: 400 }, (_, i) =>
    usage({
      accountId: accounts[i % 2]!,
      grantId: grants[i % 2]!.grantId,
      costNanoUsd: BigInt(i),
      holdNanoUsd: BigInt(2 * i),
    }),
  );
  const batches = Array.from({ length: 12 }, (_, i) => [...events.slice(i * 30, i * 30 + 90), events[0]!]);
  const responses = await Promise.all(
    batches.map((batch, i) => (i % 2 === 0 ? one : two).ledger.settle({ events: batch }, { timeoutMs: 20_000 })),
  );
  const fresh = responses.flatMap((response) => response.settled.filter((settled) => settled.new));
  assert.equal(fresh.length, 400);
  assert.equal(new Set(fresh.map((settled) => settled.requestId)).size, 400);
  const states = await Promise.all(accounts.map((id) => one.accounts.getAccount({ id })));
  assert.equal(states[0]!.chargedNanoUsd + states[1]!.chargedNanoUsd, (399n * 400n) / 2n);
  assert.equal(states[0]!.heldNanoUsd, 5_000_000n - states[0]!.chargedNanoUsd);
  assert.deepEqual(await faults(two), []);
});

test("writes off a cost that neither hold nor balance covers, and never makes the balance negative", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 100n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 60n }));
  const { settled } = await billing.ledger.settle({
    events: [
      usage({ requestId: "r1", accountId, grantId, costNanoUsd: 130n, holdNanoUsd: 50n }),
      usage({ requestId: "r2", accountId, grantId: "no-such-grant", costNanoUsd: 7n, holdNanoUsd: 50n }),
    ],
  });
  assert.deepEqual(
    settled.map((s) => [s.requestId, s.chargedNanoUsd, s.writtenOffNanoUsd]),
    [
      ["r1", 90n, 40n],
      ["r2", 0n, 7n],
    ],
  );
  const account = await billing.accounts.getAccount({ id: accountId });
  assert.deepEqual(
    [account.availableNanoUsd, account.heldNanoUsd, account.chargedNanoUsd, account.writtenOffNanoUsd],
    [0n, 10n, 90n, 47n],
  );
  assert.deepEqual(await faults(billing), []);
});

test("an account with too large a write-off gets no grant until a top-up, sent twice to two replicas, has repaid it once", async () => {
  await using db = scratch({ WRITE_OFF_LIMIT_NANO_USD: "500" });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 100n);
  const request = acquireFields({ holderId: "h", accountId, needNanoUsd: 60n });
  const { grantId } = await one.grants.acquire(request);
  await one.ledger.settle({ events: [usage({ accountId, grantId, costNanoUsd: 570n, holdNanoUsd: 30n })] });
  const allowed = await one.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1n }));
  assert.deepEqual(
    [allowed.insufficient, allowed.owedNanoUsd],
    [true, 0n],
    "500 may be owed: only the balance is insufficient",
  );
  await one.ledger.settle({ events: [usage({ accountId, grantId: "", costNanoUsd: 1n, holdNanoUsd: 1n })] });
  const topUp = (amountNanoUsd: bigint, reference: string, by = one) =>
    by.accounts.topUp({ accountId, amountNanoUsd, reference, note: "" });
  const state = async () => {
    const { availableNanoUsd, chargedNanoUsd, writtenOffNanoUsd, repaidNanoUsd } = await two.accounts.getAccount({
      id: accountId,
    });
    return [availableNanoUsd, chargedNanoUsd, writtenOffNanoUsd, repaidNanoUsd];
  };
  assert.deepEqual(await state(), [0n, 70n, 501n, 0n]);
  for (const by of [one, two]) {
    for (let time = 0; time < 2; time++) {
      const refused = await by.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1n }));
      assert.deepEqual([refused.insufficient, refused.owedNanoUsd], [true, 501n]);
    }
  }
  assert.equal((await two.grants.acquire(request)).grantId, grantId, "an existing grant is returned again");
  await Promise.all([one, two, one, two].map((by) => topUp(201n, "first", by)));
  assert.deepEqual(await state(), [0n, 271n, 300n, 201n]);
  const paid = await one.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1n }));
  assert.deepEqual([paid.insufficient, paid.owedNanoUsd], [true, 0n]);
  await assert.rejects(topUp(200n, "first"), refused("already_exists"));
  await Promise.all([topUp(1_000n, "second"), topUp(50n, "third", two)]);
  assert.deepEqual(await state(), [750n, 571n, 0n, 501n]);
  assert.equal(
    (await two.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }))).insufficient,
    false,
  );
  const { entries } = await one.ledger.listEntries({ accountId, requestId: "", page: { limit: 100, cursor: "" } });
  const repaid = entries.filter(({ kind }) => kind === "repayment");
  assert.equal(
    repaid.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0n),
    501n,
  );
  const { hardLimitNanoUsd } = await one.accounts.getSubscription({ accountId, keyId: "" });
  assert.equal(hardLimitNanoUsd, 850n, "less what repaid: 70 were charged by usage, 30 are held, and 750 are left");
  assert.deepEqual(await faults(two), []);
  await db.tamper("accounts", { _id: accountId }, { $set: { repaid: 500n } });
  assert.equal((await faults(one)).length, 1);
});

test("a settle row stores the whole event, and an unpriced one is charged provisionally and marked", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 100n);
  const event = usage({ accountId, costNanoUsd: 5n, holdNanoUsd: 5n, pricing: Pricing.UNPRICED });
  await billing.ledger.settle({ events: [event] });
  const { entries } = await billing.ledger.listEntries({ accountId: "", requestId: event.requestId, page: undefined });
  assert.deepEqual(entries[0]!.event, event);
  assert.deepEqual([entries[0]!.chargedNanoUsd, entries[0]!.note], [5n, "unpriced, late"]);
  const metrics = await (await fetch(`http://127.0.0.1:${billing.adminPort}/metrics`)).text();
  assert.match(metrics, /uag_billing_unpriced_total\{.*\} 1\n/);
  const rows: string[] = [];
  let cursor = "";
  do {
    const page = await billing.ledger.listEntries({ accountId, requestId: "", page: { limit: 1, cursor } });
    rows.push(...page.entries.map((entry) => entry.kind));
    cursor = page.nextCursor;
  } while (cursor !== "");
  assert.deepEqual(rows, ["settle", "top_up"]);
});

test("rejects a whole batch with an invalid event, and names the event", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 100n);
  const good = usage({ accountId, costNanoUsd: 5n });
  const bad = usage({ accountId, costNanoUsd: -5n });
  await assert.rejects(
    billing.ledger.settle({ events: [good, bad] }),
    (error) => refused("invalid_request")(error) && (error as GatewayError).param === "events[1].cost_nano_usd",
  );
  assert.equal((await billing.accounts.getAccount({ id: accountId })).chargedNanoUsd, 0n);
  await assert.rejects(
    billing.ledger.settle({ events: [usage({ accountId: "nobody", costNanoUsd: 1n })] }),
    refused("not_found"),
  );
});

test("the audit detects a changed row, a missing row, a wrong balance and a wrong grant", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 60n }));
  const events = [1n, 2n, 3n].map((costNanoUsd) => usage({ accountId, grantId, costNanoUsd, holdNanoUsd: 10n }));
  await billing.ledger.settle({ events });
  assert.deepEqual(await faults(billing), []);
  const row = { _id: `settle:${events[1]!.requestId}` };
  await db.tamper("ledger", row, { $set: { "event.priceVersion": "v2" } });
  assert.match((await faults(billing)).join(), /was changed: its hash does not match/);
  await db.tamper("ledger", row, { $set: { "event.priceVersion": "v1" } });
  assert.deepEqual(await faults(billing), []);
  await db.tamper("ledger", row, { $set: { accountId: "elsewhere" } });
  assert.match((await faults(billing)).join(), /does not exist, but has rows.*|row 5 after row 3/);
  await db.tamper("ledger", row, { $set: { accountId } });
  await db.tamper("accounts", { _id: accountId }, { $inc: { available: 1 } });
  assert.match((await faults(billing)).join(), /has 941 available, but its rows add up to 940/);
  await db.tamper("accounts", { _id: accountId }, { $inc: { available: -1 } });
  await db.tamper("grants", { _id: grantId }, { $inc: { settled: 1 } });
  assert.match((await faults(billing)).join(), /has 53 left, but its rows add up to 54/);
});

test("the audit is exact while two replicas acquire, return and settle", async () => {
  await using db = scratch();
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accounts = [await fund(one, 1_000_000n), await fund(one, 1_000_000n)];
  let running = true;
  const traffic = [one, two, one, two].map(async (billing, i) => {
    const accountId = accounts[i % 2]!;
    while (running) {
      const { grantId, insufficient } = await billing.grants.acquire(
        acquireFields({ holderId: `h${i}`, accountId, needNanoUsd: 100n, wantNanoUsd: 100n }),
      );
      assert.equal(insufficient, false);
      const event = usage({ requestId: newId("req"), accountId, grantId, costNanoUsd: 1n, holdNanoUsd: 100n });
      await Promise.all([
        billing.ledger.settle({ events: [event] }),
        billing.grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 1n }),
      ]);
    }
  });
  try {
    for (let i = 0; i < 10; i++) assert.deepEqual(await faults(one), []);
  } finally {
    running = false;
    await Promise.all(traffic);
  }
  assert.deepEqual(await faults(one), []);
  const states = await Promise.all(accounts.map((id) => one.accounts.getAccount({ id })));
  assert.ok(states.every((account) => account.heldNanoUsd === 0n && account.chargedNanoUsd > 0n));
});
