import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { newId } from "@uag/runtime/ids";
import { dayOf } from "@uag/runtime/utc-days";
import { type Clients, connectClients, faults, fund, scratch, spawnBilling, startBilling, usage } from "./harness.ts";

const cap = 1_000_000n;
const startedAtMs = Date.parse("2027-01-31T23:59:59Z");
const day = dayOf(startedAtMs);

type Terms = Partial<Parameters<Clients["grants"]["leaseSpend"]>[0]>;
type Grants = Pick<Clients, "grants">;

const credential = { provider: "acme", credentialId: "cred_1" };
const lease = async ({ grants }: Grants, terms: Terms): Promise<bigint> => {
  const usual = { ...credential, holderId: "h1", day, sequence: 1n, leastNanoUsd: 0n, wantNanoUsd: 1n };
  const { leasedNanoUsd } = await grants.leaseSpend({ ...usual, dailyCapNanoUsd: cap, ...terms });
  return leasedNanoUsd;
};

/** A bill of a request that was called with the credential. */
const bill = (
  accountId: string,
  holderId: string,
  costNanoUsd: bigint,
  more: Partial<Parameters<typeof usage>[0]> = {},
) =>
  usage({
    accountId,
    holderId,
    costNanoUsd,
    upstream: credential.provider,
    upstreamCredentialId: credential.credentialId,
    startedAtMs: BigInt(startedAtMs),
    ...more,
  });

/** A replica that spends as much as it can lease, and has its bills settled meanwhile. */
async function spendAll(clients: Clients, accountId: string): Promise<bigint> {
  const holderId = newId("hold");
  let [leased, spent, sequence] = [0n, 0n, 0n];
  for (let refused = 0; refused < 2; ) {
    const cost = BigInt(1 + Math.floor(Math.random() * 9_000));
    if (spent + cost > leased) {
      const want = spent + cost;
      leased = await lease(clients, { holderId, sequence: ++sequence, leastNanoUsd: leased, wantNanoUsd: want });
      if (leased < want) refused++;
      if (leased < want) continue;
    }
    spent += cost;
    await clients.ledger.settle({ events: [bill(accountId, holderId, cost)] });
  }
  return spent;
}

test("replicas together spend at most a credential's cap, and what is leased is exactly what the ledger has and what is left of leases", async () => {
  await using db = scratch();
  await using one = await startBilling(db.env);
  await using other = await startBilling(db.env);
  const accounts = await Promise.all(Array.from({ length: 4 }, () => fund(one, 10n ** 12n)));
  const spent = await Promise.all(accounts.map((id, n) => spendAll(n % 2 === 0 ? one : other, id)));
  const sum = spent.reduce((all, each) => all + each, 0n);
  assert.ok(sum <= cap && sum > (cap * 9n) / 10n, `${sum} of ${cap}`);
  assert.equal((await lease(one, { holderId: "late", wantNanoUsd: cap })) + sum <= cap, true);
  assert.deepEqual(await faults(one), []);
});

test("what a dead replica has leased counts until its journal is settled, and then what it spent", async () => {
  await using db = scratch();
  await using process = await spawnBilling(db.env);
  using clients = connectClients(process.port);
  const accountId = await fund(clients, cap);
  assert.equal(await lease(clients, { wantNanoUsd: cap }), cap);
  assert.equal(await lease(clients, { holderId: "h2" }), 0n);
  await process.restart();
  await waitFor(
    () =>
      clients.accounts.getAccount({ id: accountId }).then(
        () => true,
        () => undefined,
      ),
    { what: "billing" },
  );
  assert.equal(await lease(clients, { holderId: "h2", sequence: 2n }), 0n, "leases survive a crash of billing");
  await clients.ledger.settle({ events: [bill(accountId, "h1", 400_000n), bill(accountId, "h1", 100_000n)] });
  assert.equal(await lease(clients, { holderId: "h2", sequence: 3n }), 0n, "more of its bills may follow");
  await clients.grants.closeHolder({ holderId: "h1" });
  assert.equal(await lease(clients, { holderId: "h2", sequence: 4n, wantNanoUsd: cap }), 500_000n);
  await assert.rejects(lease(clients, { sequence: 2n }), { code: "permission_denied" });
});

test("a holder gives back what it does not use, and a call that arrives late or twice changes nothing", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const ahead = await lease(billing, { wantNanoUsd: 100_000n });
  assert.equal(ahead, 100_000n + 900_000n / 16n, "a sixteenth of what is left is leased ahead of need");
  assert.equal(await lease(billing, { sequence: 2n, leastNanoUsd: 40_000n, wantNanoUsd: 40_000n }), 40_000n);
  assert.equal(await lease(billing, { wantNanoUsd: 700_000n }), 40_000n);
  assert.equal(await lease(billing, { holderId: "h2", wantNanoUsd: cap }), 960_000n);
  assert.equal(await lease(billing, { sequence: 3n, leastNanoUsd: 40_000n, wantNanoUsd: 50_000n }), 40_000n);
});

test("a day's bills count in their day and its month, by the start of the request and the operator's cost", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, cap);
  const next = { startedAtMs: BigInt(startedAtMs + 2_000) };
  const cheaper = bill(accountId, "h1", 300_000n, { upstreamCostNanoUsd: 200_000n });
  const repeated = bill(accountId, "h1", 1_000n, next);
  const ofAnother = bill(accountId, "h1", 5_000n, { upstreamCredentialId: undefined });
  for (let i = 0; i < 2; i++) await billing.ledger.settle({ events: [cheaper, repeated, ofAnother] });
  const left = (terms: Terms) => lease(billing, { holderId: newId("hold"), wantNanoUsd: cap, ...terms });
  const monthly = { dailyCapNanoUsd: undefined, monthlyCapNanoUsd: cap };
  const { untilMs } = await billing.grants.leaseSpend({
    ...credential,
    holderId: "h3",
    day,
    sequence: 1n,
    leastNanoUsd: 0n,
    wantNanoUsd: cap + 1n,
    dailyCapNanoUsd: 1n,
    monthlyCapNanoUsd: undefined,
  });
  assert.equal(untilMs, BigInt(Date.parse("2027-02-01")));
  assert.equal(await left({ day: "2027-02-01" }), 999_000n);
  assert.equal(await left({ day: "2027-02-02", ...monthly }), 0n, "the month's first day is leased");
  assert.equal(await left({ day: "2027-03-01", ...monthly }), cap);
  assert.equal(await left({ day: "2027-01-30", ...monthly }), 800_000n);
});
