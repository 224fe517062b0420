import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { acquireFields, faults, fund, scratch, startBilling, usage } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;
const nothing = { amountNanoUsd: 0n, close: false, spentNanoUsd: 0n };

test("grants exactly 37 of 200 concurrent acquires over two replicas when the balance covers 37", async () => {
  await using db = scratch();
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 37n * 1_000n + 999n);
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? one : two).grants.acquire(
        acquireFields({ holderId: `h${i % 5}`, accountId, needNanoUsd: 1_000n, wantNanoUsd: 1_000n }),
        { timeoutMs: 20_000 },
      ),
    ),
  );
  assert.equal(responses.filter((response) => !response.insufficient).length, 37);
  assert.ok(responses.every((response) => response.insufficient || response.amountNanoUsd === 1_000n));
  const account = await one.accounts.getAccount({ id: accountId });
  assert.deepEqual([account.availableNanoUsd, account.heldNanoUsd], [999n, 37_000n]);
  assert.deepEqual(await faults(one), []);
});

test("the same acquire, sent concurrently to two replicas, is one grant", async () => {
  await using db = scratch();
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 1_000n);
  const request = acquireFields({ holderId: "h", accountId, needNanoUsd: 10n, wantNanoUsd: 100n });
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).grants.acquire(request)),
  );
  assert.equal(new Set(responses.map((response) => response.grantId)).size, 1);
  assert.equal((await one.accounts.getAccount({ id: accountId })).heldNanoUsd, 100n);
  await assert.rejects(one.grants.acquire({ ...request, holderId: "other" }), refused("already_exists"));
});

test("grants shrink with the balance, down to what one request needs", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const call = () =>
    billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 10n, wantNanoUsd: 200n }));
  const first = await call();
  assert.deepEqual([first.amountNanoUsd, first.scarce], [200n, false]);
  const sizes: bigint[] = [];
  for (let response = await call(); !response.insufficient; response = await call()) {
    assert.ok(response.scarce);
    sizes.push(response.amountNanoUsd);
  }
  assert.equal(sizes[0], 200n);
  assert.equal(sizes.at(-1), 10n);
  assert.ok((await billing.accounts.getAccount({ id: accountId })).availableNanoUsd < 10n);
});

test("when money is short, recalls unspent money from holders and grants it to the waiting acquire", async () => {
  await using db = scratch({ RECALL_WAIT_MS: "10000" });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 100n);
  const rich = await one.grants.acquire(acquireFields({ holderId: "rich", accountId, needNanoUsd: 100n }));
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: db.env["NATS_URL"]! }, name: "test", log });
  const givenBack: Promise<unknown>[] = [];
  bus.subscribe(`billing.recall.${accountId}`, () => {
    if (givenBack.length > 0) return;
    givenBack.push(one.grants.return({ grantId: rich.grantId, sequence: 1, ...nothing, amountNanoUsd: 60n }));
  });
  await bus.connection.flush();
  const poor = await two.grants.acquire(acquireFields({ holderId: "poor", accountId, needNanoUsd: 50n }), {
    timeoutMs: 15_000,
  });
  await Promise.all(givenBack);
  assert.deepEqual([poor.insufficient, poor.amountNanoUsd, poor.availableNanoUsd], [false, 50n, 10n]);
  assert.deepEqual(await faults(one), []);
});

test("counts each numbered return once, in any order, and none after the close", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1_000n }));
  const give = (sequence: number, amountNanoUsd: bigint) =>
    billing.grants.return({ grantId, sequence, ...nothing, amountNanoUsd });
  await Promise.all([give(2, 20n), give(1, 10n), give(2, 20n), give(1, 10n)]);
  assert.equal((await billing.accounts.getAccount({ id: accountId })).availableNanoUsd, 30n);
  await assert.rejects(give(3, 971n), refused("invalid_request"));
  const event = usage({ accountId, grantId, costNanoUsd: 300n, holdNanoUsd: 400n });
  const later = usage({ accountId, grantId, costNanoUsd: 250n, holdNanoUsd: 200n });
  await billing.ledger.settle({ events: [event] });
  const close = { grantId, sequence: 4, amountNanoUsd: 0n, close: true, spentNanoUsd: 500n };
  await assert.rejects(billing.grants.return({ ...close, spentNanoUsd: 299n }), refused("invalid_request"));
  await Promise.all(
    [billing.grants.return(close), billing.grants.return(close), give(5, 1n)].map((p) => p.catch(() => 0)),
  );
  const waiting = await billing.accounts.getAccount({ id: accountId });
  assert.equal(waiting.heldNanoUsd, 200n);
  await billing.ledger.settle({ events: [later] });
  const account = await billing.accounts.getAccount({ id: accountId });
  assert.deepEqual([account.availableNanoUsd, account.heldNanoUsd, account.chargedNanoUsd], [450n, 0n, 550n]);
  assert.deepEqual(await faults(billing), []);
});

test("closing a holder fences it and releases its money at once, except for that of its tasks", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  await billing.grants.heartbeat({ holderId: "h", service: "chat" });
  await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }));
  const taskUntilMs = BigInt(Date.now() + 3_600_000);
  await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 300n, taskUntilMs }));
  assert.deepEqual(await billing.grants.closeHolder({ holderId: "h" }), { grantsClosed: 1 });
  assert.deepEqual(await billing.grants.closeHolder({ holderId: "h" }), { grantsClosed: 0 });
  assert.equal((await billing.accounts.getAccount({ id: accountId })).heldNanoUsd, 300n);
  await assert.rejects(billing.grants.heartbeat({ holderId: "h", service: "chat" }), refused("permission_denied"));
  await assert.rejects(
    billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1n })),
    refused("permission_denied"),
  );
  await billing.grants.closeHolder({ holderId: "never-heard-of" });
  await assert.rejects(
    billing.grants.heartbeat({ holderId: "never-heard-of", service: "chat" }),
    refused("permission_denied"),
  );
  assert.deepEqual(await faults(billing), []);
});

test("a holder is gone only once it is closed or silent for the grace period; an unknown one can never start", async () => {
  await using db = scratch({ HOLDER_LEASE_MS: "5000", ORPHAN_GRACE_MS: "600000", REAP_INTERVAL_MS: "20" });
  await using billing = await startBilling(db.env);
  const isGone = async (holderId: string): Promise<boolean> => (await billing.grants.isHolderGone({ holderId })).gone;
  const accountId = await fund(billing, 1_000n);
  await billing.grants.heartbeat({ holderId: "h", service: "chat" });
  await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }));
  assert.equal(await isGone("h"), false, "it is alive");
  await billing.grants.heartbeat({ holderId: "h", service: "chat" });
  await waitFor(
    () =>
      // A heartbeat would renew the lease.
      billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1n })).then(
        () => false,
        (error: unknown) => refused("permission_denied")(error),
      ),
    { what: "the holder to be fenced" },
  );
  await assert.rejects(billing.grants.heartbeat({ holderId: "h", service: "chat" }), refused("permission_denied"));
  assert.equal(await isGone("h"), false, "its last requests may be in flight");
  await db.tamper("holders", { _id: "h" }, { $set: { orphanedAt: new Date(Date.now() - 3_600_000) } });
  await waitFor(() => isGone("h"), { what: "the holder to be gone" });
  // Gone means that nothing of it is in progress any more. Its money is released right after that,
  // in separate transactions.
  const held = async () => (await billing.accounts.getAccount({ id: accountId })).heldNanoUsd;
  await waitFor(async () => (await held()) === 0n, { what: "the holder's money" });
  assert.equal(await isGone("unknown"), true);
  await assert.rejects(
    billing.grants.heartbeat({ holderId: "unknown", service: "chat" }),
    refused("permission_denied"),
  );
  assert.deepEqual(await faults(billing), []);
});

test("fences a silent holder and releases its money after the grace period, by exactly one of two replicas", async () => {
  await using db = scratch({ HOLDER_LEASE_MS: "5000", ORPHAN_GRACE_MS: "300", REAP_INTERVAL_MS: "20" });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 1_000n);
  const { grantId } = await one.grants.acquire(acquireFields({ holderId: "silent", accountId, needNanoUsd: 400n }));
  const task = { taskUntilMs: BigInt(Date.now() + 10) };
  await one.grants.acquire(acquireFields({ holderId: "silent", accountId, needNanoUsd: 100n, ...task }));
  const lively = setInterval(() => void two.grants.heartbeat({ holderId: "lively", service: "chat" }), 100);
  await two.grants.acquire(acquireFields({ holderId: "lively", accountId, needNanoUsd: 50n }));
  const held = async () => (await one.accounts.getAccount({ id: accountId })).heldNanoUsd;
  await waitFor(async () => (await held()) === 50n, { what: "the silent holder's money" });
  await assert.rejects(one.grants.heartbeat({ holderId: "silent", service: "chat" }), refused("permission_denied"));
  await two.grants.heartbeat({ holderId: "lively", service: "chat" });
  clearInterval(lively);

  const late = usage({ accountId, grantId, costNanoUsd: 30n, holdNanoUsd: 100n });
  const [settled] = (await two.ledger.settle({ events: [late] })).settled;
  assert.deepEqual([settled!.new, settled!.chargedNanoUsd], [true, 30n]);
  await one.grants.return({ grantId, sequence: 1, ...nothing, amountNanoUsd: 370n });
  assert.equal((await one.accounts.getAccount({ id: accountId })).availableNanoUsd + (await held()), 970n);
  assert.deepEqual(await faults(one), []);
});
