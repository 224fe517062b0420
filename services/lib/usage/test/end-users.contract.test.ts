import assert from "node:assert/strict";
import { test } from "node:test";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { waitFor } from "@uag/harness/testing/wait-for";
import { BudgetPeriod, type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { callerFor } from "../src/end-users/caller.ts";
import { purseOf } from "../src/wallet/account.ts";
import { request, settlement, taskBill, taskOf } from "./harness.ts";
import { busiestMinute, startReplicas } from "./limits-replicas.ts";

const usd = 1_000_000_000n;
/** Five holds of 1,000. */
const part = 5_000n;
const publish = { gatherMs: 20, confirmMs: 50 };

/** A budget with a rule for end users; billing names their levels as it is asked for them. */
async function openShop(backend: Backend, amountNanoUsd: bigint) {
  const address = backend.env["BILLING"] as string;
  const budgets = createRpcClient<BudgetServiceServer>(BudgetServiceService, address, insecure);
  const accountId = await backend.account(usd);
  const none = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
  const { id: budgetId } = await budgets.createBudget({
    accountId,
    name: "shop",
    parentId: "",
    amountNanoUsd: usd,
    period: BudgetPeriod.TOTAL,
    hard: true,
    limits: undefined,
    models: [],
    endUsers: { amountNanoUsd, period: BudgetPeriod.TOTAL, limits: none, required: false },
  });
  const use = async (endUser: string) => {
    const [found] = (await budgets.listEndUsers({ budgetId, endUser, limit: 0 })).endUsers;
    assert.ok(found !== undefined);
    return found;
  };
  const chainOf = async (endUser: string): Promise<string[]> => [(await use(endUser)).id, budgetId];
  return { accountId, budgetId, use, chainOf, [Symbol.dispose]: () => budgets[Symbol.dispose]() };
}

test("end users spend their parts over two replicas to the last nano-USD, with requests, streams and tasks", async () => {
  await using backend = await startBackend();
  using shop = await openShop(backend, part);
  const { accountId } = shop;
  await using first = await replica(backend.env, { publish });
  await using second = await replica(backend.env, { publish });
  const callerOf = async (endUser: string): Promise<Caller> => ({
    ...request(accountId, "", 1n).caller,
    budgetIds: await shop.chainOf(endUser),
  });
  for (const endUser of ["alice", "bob"]) {
    const caller = await callerOf(endUser);
    const task = { ...taskOf(accountId, `task-${endUser}`, 1_000n), caller, purse: purseOf(caller) };
    const { id: grantId } = await first.admitTask(task);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? first : second).admit({
          ...request(accountId, `${endUser}-${n}`, 1_000n),
          caller,
          stream: n % 3 === 0,
        }),
      ),
    );
    const admitted = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    assert.equal(admitted.length, 4, "and the task");
    const codes = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
    assert.deepEqual([...new Set(codes)], ["budget_exceeded"]);
    for (const each of admitted) {
      each.checkpoint({ units: [], costNanoUsd: 500n, isUpperBound: false });
      await each.settle(settlement(1_000n));
    }
    await first.settleTask(taskBill(task, grantId, 1_000n));
    await waitFor(async () => (await shop.use(endUser)).spentNanoUsd === part, { what: "the charges" });
    assert.equal((await shop.use(endUser)).heldNanoUsd, 0n);
  }
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});

test("three processes never spend or hold more than each end user's part while one of them is killed with -9", async () => {
  await using backend = await startBackend();
  using shop = await openShop(backend, part);
  await using replicas = await startReplicas(backend, shop.accountId, 3);
  const endUsers = ["alice", "bob", "carol"];
  const chains = await Promise.all(endUsers.map(shop.chainOf));
  // Each costs 10 of its hold of 1,000: 401 exhaust a part, whichever process they are in.
  const order = { count: 300, atOnce: 4, lastsMs: 1, delayMs: 1 };
  const running = [0, 1, 2].flatMap((process) =>
    chains.map((budgetIds) => replicas.run(process, { ...order, budgetIds })),
  );
  let done = false;
  const all = Promise.all(running).then(() => {
    done = true;
  });
  let beyond = 0;
  const watch = async (): Promise<void> => {
    while (!done)
      for (const endUser of endUsers) {
        const { spentNanoUsd, heldNanoUsd } = await shop.use(endUser);
        if (spentNanoUsd + heldNanoUsd > part) beyond++;
      }
  };
  const watching = watch();
  await waitFor(() => replicas.spans.filter(({ replica: by }) => by === 1).length > 60, { what: "some requests" });
  await replicas.kill(1);
  await all;
  await watching;
  assert.equal(beyond, 0);
  const codes = [...replicas.refusals.keys()].filter((code) => code !== "service_unavailable");
  assert.deepEqual(codes, ["budget_exceeded"]);
  for (const endUser of endUsers) {
    const { spentNanoUsd } = await shop.use(endUser);
    assert.ok(spentNanoUsd > 0n && spentNanoUsd <= part, `${spentNanoUsd} of ${endUser}`);
  }
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});

test("three processes admit no more requests of an end user in a minute than the rule allows, each end user as many", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  await using replicas = await startReplicas(backend, account, 3);
  const order = { count: 40, atOnce: 4, lastsMs: 1, delayMs: 1 };
  const levels = (endUser: string) => ({ [`shop:${endUser}`]: { requestsPerMinute: 30 } });
  await Promise.all(
    [0, 1, 2].flatMap((process) =>
      ["alice", "bob"].map((endUser) =>
        replicas.run(process, { ...order, keyId: `key_${endUser}`, levels: levels(endUser) }),
      ),
    ),
  );
  for (const endUser of ["alice", "bob"])
    assert.equal(busiestMinute(replicas.spans.filter(({ keyId }) => keyId === `key_${endUser}`)), 30, endUser);
});

test("a caller without a rule is not changed, and one with two rules has a level for each", () => {
  const { caller } = request("a", "r", 1n);
  const rule = { name: "shop", required: false, limits: undefined, version: 3n };
  const rules = ["bud_1", "bud_2"].map((budgetId) => ({ ...rule, budgetId, secret: Buffer.from(budgetId) }));
  const made = callerFor({ ...caller, budgetIds: ["bud_1", "bud_2"] }, rules, "alice");
  const [one = "", two = ""] = made.budgetIds;
  assert.match(one, /^bud_1:[\w-]{22}$/);
  assert.match(two, /^bud_2:[\w-]{22}$/);
  assert.notEqual(one.slice(6), two.slice(6), "two budgets know an end user by two pseudonyms");
  assert.deepEqual(made.budgetIds.slice(2), ["bud_1", "bud_2"]);
  assert.deepEqual(
    made.levels.map(({ id, version }) => [id, version]),
    [
      [one, 3n],
      [two, 3n],
    ],
  );
});
