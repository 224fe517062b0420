import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { newId } from "@uag/runtime/ids";
import { type Clients, connectClients, scratch, spawnBilling, startBilling } from "./harness.ts";

const hourMs = 3_600_000;

type Terms = Partial<Parameters<Clients["limits"]["leaseFetches"]>[0]>;

const lease = ({ limits }: Pick<Clients, "limits">, terms: Terms) => {
  const usual = { accountId: "acct_1", leaseId: newId("fetch"), need: 1, want: 0, endedLeaseId: "", unused: 0 };
  return limits.leaseFetches({ ...usual, ...terms });
};
const usedBy = async ({ limits }: Pick<Clients, "limits">, accountId = "acct_1"): Promise<number> =>
  (await limits.getFetchBudget({ accountId })).used;

test("replicas of billing lease exactly the budget of an account, and refuse more with the time of the next permit", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "50" });
  await using one = await startBilling(db.env);
  await using other = await startBilling(db.env);
  const calls = Array.from({ length: 40 }, (_, n) => lease(n % 2 === 0 ? one : other, { need: 3, want: 16 }));
  const responses = await Promise.all(calls);
  assert.equal(
    responses.reduce((sum, { leased }) => sum + leased, 0),
    50,
  );
  for (const { leased, retryAfterMs } of responses) {
    if (leased >= 3) assert.equal(retryAfterMs, 0);
    else assert.ok(retryAfterMs > 0 && retryAfterMs <= hourMs / 50, `${retryAfterMs}`);
  }
  assert.equal((await lease(one, { accountId: "acct_2" })).leased, 1);
  const { perHour, used, fullInMs } = await other.limits.getFetchBudget({ accountId: "acct_1" });
  assert.deepEqual([perHour, used], [50, 50]);
  assert.ok(fullInMs > hourMs - 60_000 && fullInMs <= hourMs, `${fullInMs}`);
});

test("a lease ahead of need takes at most a sixteenth of what is left", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "64" });
  await using billing = await startBilling(db.env);
  assert.equal((await lease(billing, { want: 16 })).leased, 4);
  assert.equal((await lease(billing, { need: 50 })).leased, 50);
  assert.equal((await lease(billing, { want: 16 })).leased, 1);
});

test("unused permits return to the budget once, and never more than were leased", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "20" });
  await using billing = await startBilling(db.env);
  const leaseId = newId("fetch");
  await lease(billing, { leaseId, need: 8 });
  const given = { leaseId: newId("fetch"), need: 0, endedLeaseId: leaseId, unused: 5 };
  for (const _ of [1, 2]) assert.equal((await lease(billing, given)).leased, 0);
  assert.equal(await usedBy(billing), 3);
  const second = newId("fetch");
  await lease(billing, { leaseId: second, need: 4 });
  await lease(billing, { need: 0, endedLeaseId: second, unused: 1_000 });
  assert.equal(await usedBy(billing), 3);
  await lease(billing, { need: 0, endedLeaseId: "fetch_of_no_one", unused: 3 });
  assert.equal(await usedBy(billing), 3);
});

test("a repeated call leases the same permits and no more", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "20" });
  await using billing = await startBilling(db.env);
  const terms = { leaseId: newId("fetch"), need: 6 };
  const both = await Promise.all([lease(billing, terms), lease(billing, terms)]);
  assert.deepEqual(
    both.map(({ leased }) => leased),
    [6, 6],
  );
  assert.equal(await usedBy(billing), 6);
});

test("a restart of billing keeps what an account has used", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "10" });
  await using billing = await spawnBilling(db.env);
  {
    using clients = connectClients(billing.port);
    assert.equal((await lease(clients, { need: 10 })).leased, 10);
  }
  await billing.restart();
  using clients = connectClients(billing.port);
  assert.equal(await usedBy(clients), 10);
  assert.equal((await lease(clients, {})).leased, 0);
});

test("a budget refills by the database's clock", async () => {
  await using db = scratch({ URL_FETCHES_PER_HOUR: "3600" });
  await using billing = await startBilling(db.env);
  await lease(billing, { need: 1_024 });
  await db.tamper("fetch_budgets", { _id: "acct_1" }, { $set: { left: 0 } });
  const refused = await lease(billing, {});
  assert.ok(refused.leased === 1 || refused.retryAfterMs <= 1_000, `${refused.retryAfterMs}`);
  await waitFor(async () => (await lease(billing, {})).leased === 1, { what: "a refilled permit" });
  await db.tamper("fetch_budgets", { _id: "acct_1" }, { $set: { at: new Date(Date.now() - 2 * hourMs) } });
  assert.equal(await usedBy(billing), 0);
});

test("rejects a lease of too many permits or with an invalid id", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  for (const [param, terms] of Object.entries({
    account_id: { accountId: "" },
    lease_id: { leaseId: "$left" },
    ended_lease_id: { endedLeaseId: "a b" },
    need: { need: 1_025 },
    want: { want: 1_025 },
    unused: { unused: 1_025 },
  })) {
    await assert.rejects(lease(billing, terms), { code: "invalid_request", param });
  }
});
