import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { type Budget, BudgetPeriod, type EndUserTerms } from "@uag/proto/billing/v1/budgets.ts";
import type { Caller, EndUserRule } from "@uag/proto/common/v1/caller.ts";
import { digestKey } from "@uag/runtime/api-key";
import { newId } from "@uag/runtime/ids";
import { callerFor } from "@uag/usage/end-users/caller";
import {
  acquireFields,
  assertConflictsWithGrant,
  type Clients,
  faults,
  fund,
  pepper,
  resolveKey,
  scratch,
  startBilling,
  usage,
} from "./harness.ts";

const { DAY, WEEK, TOTAL } = BudgetPeriod;
const unlimited = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
const terms = (amountNanoUsd: bigint, period: BudgetPeriod = DAY): EndUserTerms => ({
  amountNanoUsd,
  period,
  limits: unlimited,
  required: false,
});

interface Shop {
  readonly accountId: string;
  readonly budget: Budget;
  readonly caller: () => Promise<Caller>;
}

/** A budget of 10,000 nano-USD with a rule for end users, and a key in it. */
async function openShop(billing: Clients, endUsers: EndUserTerms): Promise<Shop> {
  const accountId = await fund(billing, 1_000_000n);
  const shared = { accountId, parentId: "", period: TOTAL, hard: true, limits: undefined, models: [] };
  const budget = await billing.budgets.createBudget({ ...shared, name: "shop", amountNanoUsd: 10_000n, endUsers });
  const fields = { name: "", models: [], limits: undefined, expiresAtMs: 0n };
  const { secret } = await billing.keys.createKey({ ...fields, accountId, budgetId: budget.id });
  const digest = digestKey(secret, Buffer.from(pepper, "hex"));
  const caller = async (): Promise<Caller> => {
    const found = (await resolveKey(billing, { digest, previousDigests: [] })).caller;
    assert.ok(found !== undefined);
    return found;
  };
  return { accountId, budget, caller };
}

const rulesOf = (caller: Caller): EndUserRule[] => caller.endUsers?.rules ?? [];
const chainOf = (caller: Caller, endUser: string): string[] => callerFor(caller, rulesOf(caller), endUser).budgetIds;

test("each end user has the rule's amount within the budget, and its charges stay counted while the rule is gone", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const { accountId, budget, caller } = await openShop(billing, { ...terms(100n, WEEK), required: true });
  const before = await caller();
  const [rule] = rulesOf(before);
  assert.deepEqual(
    [rule?.budgetId, rule?.name, rule?.required, rule?.limits, rule?.secret.length, rule?.version],
    [budget.id, "shop", true, unlimited, 32, 1n],
  );
  assert.deepEqual(before.levels, [], "the budget itself limits money alone");

  const holderId = newId("hd");
  const acquire = (endUser: string, needNanoUsd: bigint) =>
    billing.grants.acquire(
      acquireFields({
        holderId,
        accountId,
        budgetIds: chainOf(before, endUser),
        needNanoUsd,
        wantNanoUsd: needNanoUsd,
      }),
    );
  const alice = await acquire("alice", 60n);
  assert.equal(alice.insufficient, false);
  const refused = await acquire("alice", 41n);
  assert.deepEqual([refused.insufficient, refused.budgetExceeded, refused.availableNanoUsd], [true, true, 40n]);
  const { id, name, endUser, resetsAtMs } = refused.exceededBudget!;
  assert.deepEqual([id, name, endUser], [budget.id, "shop", true]);
  assert.equal(new Date(Number(resetsAtMs)).getUTCDay(), 1, "a week ends on Monday");
  assert.equal((await acquire("bob", 100n)).insufficient, false, "another end user has as much");

  const budgetIds = chainOf(before, "alice");
  const { grantId } = alice;
  await billing.ledger.settle({
    events: [usage({ accountId, grantId, budgetIds, costNanoUsd: 30n, holdNanoUsd: 60n })],
  });
  await billing.grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 30n });
  const use = async (endUserName: string) => {
    const { endUsers } = await billing.budgets.listEndUsers({ budgetId: budget.id, endUser: endUserName, limit: 0 });
    return endUsers.map(({ id: level, spentNanoUsd, heldNanoUsd }) => [level, spentNanoUsd, heldNanoUsd]);
  };
  assert.deepEqual(await use("alice"), [[budgetIds[0], 30n, 0n]]);
  assert.deepEqual(
    (await use("bob")).map(([, ...money]) => money),
    [[0n, 100n]],
  );
  const { endUsers: top } = await billing.budgets.listEndUsers({ budgetId: budget.id, limit: 10 });
  assert.deepEqual(
    top.map((each) => each.id),
    [budgetIds[0]],
    "only end users that were charged are listed",
  );

  await billing.budgets.updateBudget({ id: budget.id, noEndUsers: true });
  assert.equal((await caller()).endUsers, undefined);
  const [level = ""] = chainOf(before, "alice");
  const free = await acquire("alice", 500n);
  assert.equal(free.insufficient, false, "a caller of before the change is no longer limited by the rule");
  await billing.grants.return({ grantId: free.grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 0n });
  await billing.budgets.updateBudget({ id: budget.id, endUsers: terms(50n, DAY) });
  const after = await caller();
  assert.equal(chainOf(after, "alice")[0], level, "an end user keeps its level");
  const left = await acquire("alice", 21n);
  assert.deepEqual([left.insufficient, left.availableNanoUsd], [true, 20n]);
  assert.deepEqual(await faults(billing), []);
});

test("a rule that changes while a grant is being issued by the former amount fails that grant's transaction", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const { accountId, budget } = await openShop(billing, terms(900n));
  await assertConflictsWithGrant(db, { collection: "budgets", id: budget.id, accountId }, () =>
    billing.budgets.updateBudget({ id: budget.id, endUsers: terms(10n) }),
  );
});

test("two replicas grant concurrently no more than each end user's part, and each counts exactly what was charged", async () => {
  await using db = scratch({ RECALL_WAIT_MS: "0" });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const { accountId, budget, caller } = await openShop(one, terms(2_000n));
  const random = seededRandom(1);
  const known = await caller();
  const endUsers = ["a", "b", "c", "d", "e", "f"];
  const spent = new Map<string, bigint>();
  let refusedParts = 0;
  let refusedBudgets = 0;
  const work = async (index: number): Promise<void> => {
    const clients = index < endUsers.length ? one : two;
    const endUser = endUsers[index % endUsers.length] ?? "";
    const budgetIds = chainOf(known, endUser);
    for (let round = 0; round < 18; round++) {
      // Two of them use up their parts long before the budget is used up.
      const needNanoUsd = BigInt(1 + Math.floor(random() * (["a", "b"].includes(endUser) ? 600 : 300)));
      const request = acquireFields({ holderId: `h${index}`, accountId, budgetIds, needNanoUsd, wantNanoUsd: 600n });
      const granted = await clients.grants.acquire(request);
      if (granted.insufficient) {
        if (granted.exceededBudget?.endUser === true) refusedParts++;
        else refusedBudgets++;
        continue;
      }
      const { grantId } = granted;
      const { endUsers: now } = await clients.budgets.listEndUsers({ budgetId: budget.id, endUser, limit: 0 });
      for (const { spentNanoUsd, heldNanoUsd } of now)
        assert.ok(spentNanoUsd + heldNanoUsd <= 2_000n, `${spentNanoUsd} and ${heldNanoUsd} of ${endUser}`);
      const costNanoUsd = BigInt(Math.floor(random() * Number(needNanoUsd + 1n)));
      const paid = { grantId, accountId, budgetIds, costNanoUsd, holdNanoUsd: needNanoUsd };
      await clients.ledger.settle({ events: [usage(paid)] });
      for (const id of [endUser, budget.id]) spent.set(id, (spent.get(id) ?? 0n) + costNanoUsd);
      await clients.grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: costNanoUsd });
    }
  };
  await Promise.all(Array.from({ length: 2 * endUsers.length }, (_, index) => work(index)));
  assert.ok(refusedParts > 5 && refusedBudgets > 5, `${refusedParts} and ${refusedBudgets} grants were refused`);
  const now = await two.budgets.getBudget({ id: budget.id });
  assert.deepEqual([now.spentNanoUsd, now.heldNanoUsd], [spent.get(budget.id), 0n]);
  for (const endUser of endUsers) {
    const found = (await two.budgets.listEndUsers({ budgetId: budget.id, endUser, limit: 0 })).endUsers[0];
    assert.deepEqual([found?.spentNanoUsd, found?.heldNanoUsd], [spent.get(endUser), 0n], endUser);
  }
  const listed = (await one.budgets.listEndUsers({ budgetId: budget.id, limit: 3 })).endUsers;
  const highest = endUsers.map((endUser) => spent.get(endUser) ?? 0n).sort((a, b) => Number(b - a));
  assert.deepEqual(
    listed.map(({ spentNanoUsd }) => spentNanoUsd),
    highest.slice(0, 3),
  );
  assert.deepEqual(await faults(one), []);
});
