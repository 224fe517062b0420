import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import { newId } from "@uag/runtime/ids";
import { acquireFields, connectClients, faults, fund, scratch, spawnBilling, usage } from "./harness.ts";

test("each acquire, return and settle counts once when billing is killed repeatedly and calls are retried", async () => {
  await using db = scratch();
  await using process = await spawnBilling(db.env);
  using clients = connectClients(process.port);
  let running = true;
  /** Retries a call until it succeeds, as every caller of billing does. */
  async function insist<A>(call: () => Promise<A>): Promise<A> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof GatewayError) || error.code !== "service_unavailable") throw error;
        await sleep(20);
      }
    }
  }
  const accountId = await fund(clients, 100_000_000n);
  const unlimited = { limits: undefined, models: [] };
  const amount = { period: BudgetPeriod.MONTH, amountNanoUsd: 1_000_000_000n, hard: true };
  const shared = { accountId, ...amount, ...unlimited };
  const organization = await clients.budgets.createBudget({ ...shared, name: "organization", parentId: "" });
  const team = await clients.budgets.createBudget({ ...shared, name: "team", parentId: organization.id });
  const budgetIds = [team.id, organization.id];
  let spent = 0n;
  let requests = 0n;
  const worker = async (index: number): Promise<void> => {
    while (running) {
      const request = acquireFields({
        holderId: `h${index}`,
        accountId,
        budgetIds,
        needNanoUsd: 1_000n,
        wantNanoUsd: 1_000n,
      });
      const grant = await insist(() => clients.grants.acquire(request, { timeoutMs: 2_000 }));
      const events = Array.from({ length: 5 }, (_, i) =>
        usage({
          requestId: newId("req"),
          accountId,
          grantId: grant.grantId,
          budgetIds,
          costNanoUsd: BigInt(i * 10),
          holdNanoUsd: 150n,
        }),
      );
      await insist(() => clients.ledger.settle({ events }, { timeoutMs: 2_000 }));
      const close = { grantId: grant.grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 100n };
      await insist(() => clients.grants.return(close, { timeoutMs: 2_000 }));
      spent += 100n;
      requests += 5n;
    }
  };
  const workers = Array.from({ length: 6 }, (_, i) => worker(i));
  const failed = Promise.all(workers).then(() => new Promise<never>(() => undefined));
  try {
    for (let round = 0; round < 5; round++) {
      const before = requests;
      await Promise.race([waitFor(async () => requests > before + 60n, { what: "traffic" }), failed]);
      await sleep(Math.random() * 30);
      await process.restart();
    }
  } finally {
    running = false;
  }
  await Promise.all(workers);
  const audit = await clients.ledger.audit({}, { timeoutMs: 60_000 });
  assert.deepEqual(audit.violations, []);
  assert.equal(audit.settledRequests, requests);
  const account = await clients.accounts.getAccount({ id: accountId });
  assert.deepEqual([account.heldNanoUsd, account.chargedNanoUsd, account.writtenOffNanoUsd], [0n, spent, 0n]);
  for (const id of budgetIds) {
    const { spentNanoUsd, heldNanoUsd } = await clients.budgets.getBudget({ id });
    assert.deepEqual([spentNanoUsd, heldNanoUsd], [spent, 0n], "each level counts what was charged, once");
  }
  assert.deepEqual(await faults(clients), []);
});
