import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { acquireFields, faults, fund, scratch, startBilling } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;

test("creates an account once under its id, and lists accounts page by page", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) => billing.accounts.createAccount({ id: "acme", name: `n${i}` })),
  );
  assert.equal(new Set(made.map((account) => account.name)).size, 1);
  for (const id of ["beta", "gamma"]) await billing.accounts.createAccount({ id, name: id });
  const first = await billing.accounts.listAccounts({ page: { limit: 2, cursor: "" } });
  const second = await billing.accounts.listAccounts({ page: { limit: 2, cursor: first.nextCursor } });
  assert.deepEqual(
    [...first.accounts, ...second.accounts].map((account) => account.id),
    ["acme", "beta", "gamma"],
  );
  assert.equal(second.nextCursor, "");
  await assert.rejects(billing.accounts.createAccount({ id: "a.b", name: "" }), refused("invalid_request"));
  await assert.rejects(billing.accounts.getAccount({ id: "nobody" }), refused("not_found"));
});

test("counts a top-up once per reference, and a correction never exceeds the available balance", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  await billing.accounts.createAccount({ id: "acme", name: "" });
  const topUp = (amountNanoUsd: bigint, reference: string) =>
    billing.accounts.topUp({ accountId: "acme", amountNanoUsd, reference, note: "test" });
  await Promise.all(Array.from({ length: 20 }, () => topUp(9_007_199_254_740_993n, "invoice-1")));
  assert.equal((await billing.accounts.getAccount({ id: "acme" })).availableNanoUsd, 9_007_199_254_740_993n);
  await assert.rejects(topUp(5n, "invoice-1"), refused("already_exists"));
  await billing.grants.acquire(
    acquireFields({ holderId: "h", accountId: "acme", needNanoUsd: 9_007_199_254_740_000n }),
  );
  await assert.rejects(topUp(-994n, "fix-1"), refused("insufficient_balance"));
  const account = await topUp(-993n, "fix-1");
  assert.equal(account.availableNanoUsd, 0n);
  assert.equal(account.toppedUpNanoUsd, 9_007_199_254_740_000n);
  await assert.rejects(topUp(0n, "zero"), refused("invalid_request"));
  await assert.rejects(topUp(1n, ""), refused("invalid_request"));
  await assert.rejects(
    billing.accounts.topUp({ accountId: "nobody", amountNanoUsd: 1n, reference: "r", note: "" }),
    refused("not_found"),
  );
  assert.deepEqual(await faults(billing), []);
});

test("a subscription shows the account's total, capped by the key's monthly budget", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 100n);
  const limits = {
    requestsPerMinute: 0n,
    tokensPerMinute: 0n,
    concurrentRequests: 0n,
    monthlyBudgetNanoUsd: 40n,
  };
  const expiresAtMs = 4_000_000_000_999n;
  const { key } = await billing.keys.createKey({ accountId, name: "", models: [], limits, expiresAtMs });
  await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 30n }));
  assert.deepEqual(await billing.accounts.getSubscription({ accountId, keyId: key!.id }), {
    hasPaymentMethod: true,
    planId: "payg",
    planTitle: "Pay as you go",
    hardLimitNanoUsd: 40n,
    systemHardLimitNanoUsd: 100n,
    accessUntil: 4_000_000_000n,
  });
  await billing.accounts.createAccount({ id: "poor", name: "" });
  const poor = await billing.accounts.getSubscription({ accountId: "poor", keyId: "" });
  assert.equal(poor.hasPaymentMethod, false);
  assert.equal(poor.accessUntil, 0n);
  await assert.rejects(billing.accounts.getSubscription({ accountId: "poor", keyId: key!.id }), refused("not_found"));
});
