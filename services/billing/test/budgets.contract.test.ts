import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type Budget, BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { digestKey } from "@uag/runtime/api-key";
import { connectBus } from "@uag/runtime/bus";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
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

const refused = (code: string, text: RegExp) => (error: unknown) =>
  (error as GatewayError).code === code && text.test((error as GatewayError).message);

const { DAY, WEEK, MONTH, TOTAL } = BudgetPeriod;

interface BudgetFields {
  readonly accountId: string;
  readonly name: string;
  readonly amountNanoUsd: bigint;
  readonly parentId?: string;
  readonly period?: BudgetPeriod;
  readonly hard?: boolean;
  readonly limits?: Limits;
  readonly models?: string[];
}

const unlimited: Limits = {
  requestsPerMinute: 0n,
  tokensPerMinute: 0n,
  concurrentRequests: 0n,
  monthlyBudgetNanoUsd: 0n,
};

const create = async (clients: Clients, fields: BudgetFields): Promise<Budget> =>
  await clients.budgets.createBudget({
    parentId: "",
    period: MONTH,
    hard: true,
    limits: undefined,
    models: [],
    ...fields,
  });

test("a key has its budget and those above it, which cannot be deleted while they are used", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const other = await fund(billing, 1n);
  const levels: Budget[] = [];
  for (const name of ["organization", "team", "project", "task"])
    levels.push(await create(billing, { accountId, name, amountNanoUsd: 9n, parentId: levels.at(-1)?.id ?? "" }));
  const [organization, team, project, task] = levels as [Budget, Budget, Budget, Budget];
  const fifth = { accountId, name: "fifth", amountNanoUsd: 9n, parentId: task.id };
  await assert.rejects(create(billing, fifth), refused("invalid_request", /at most 4 levels/));
  const foreign = { accountId: other, name: "foreign", amountNanoUsd: 9n, parentId: team.id };
  await assert.rejects(create(billing, foreign), refused("not_found", /no budget with this id/));
  await assert.rejects(
    create(billing, { accountId, name: "none", amountNanoUsd: 0n }),
    refused("invalid_request", /positive amount/),
  );

  const fields = { name: "", models: [], limits: undefined, expiresAtMs: 0n };
  const budgetId = project.id;
  await assert.rejects(
    billing.keys.createKey({ ...fields, accountId: other, budgetId }),
    refused("not_found", /no budget with this id/),
  );
  const { key, secret } = await billing.keys.createKey({ ...fields, accountId, budgetId });
  assert.equal(key?.budgetId, project.id);
  const digest = digestKey(secret, Buffer.from(pepper, "hex"));
  const chain = async () => (await resolveKey(billing, { digest, previousDigests: [] })).caller?.budgetIds;
  assert.deepEqual(await chain(), [project.id, team.id, organization.id]);
  await billing.budgets.deleteBudget({ id: task.id });
  await assert.rejects(
    billing.budgets.deleteBudget({ id: organization.id }),
    refused("invalid_request", /Keys have this budget/),
  );
  const change = { ...fields, id: key?.id ?? "", fields: ["budget_id"] };
  await billing.keys.updateKey({ ...change, budgetId: organization.id });
  assert.deepEqual(await chain(), [organization.id]);
  await billing.keys.updateKey({ ...change, budgetId: "" });
  assert.deepEqual(await chain(), []);
  await assert.rejects(
    billing.budgets.deleteBudget({ id: organization.id }),
    refused("invalid_request", /Other budgets are below/),
  );
  for (const id of [project.id, team.id, organization.id]) await billing.budgets.deleteBudget({ id });
  assert.deepEqual((await billing.budgets.listBudgets({ accountId, page: undefined })).budgets, []);
  await assert.rejects(
    billing.keys.updateKey({ ...change, budgetId: team.id }),
    refused("not_found", /no budget with this id/),
  );
});

test("a key's caller has the limits of each budget above it that has any, and a change is announced once for all its keys", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: db.env["NATS_URL"]! }, name: "test", log });
  const announced: string[] = [];
  bus.subscribe("billing.budget-changed", (data) => announced.push(JSON.parse(Buffer.from(data).toString()).budget_id));
  await bus.connection.flush();
  const accountId = await fund(billing, 1n);
  const common = { accountId, amountNanoUsd: 9n };
  const limits = { ...unlimited, requestsPerMinute: 60n, concurrentRequests: 5n };
  const company = await create(billing, { ...common, name: "company", limits });
  const team = await create(billing, { ...common, name: "team", parentId: company.id });
  const project = await create(billing, { ...common, name: "project", parentId: team.id, models: ["gpt-*"] });
  assert.deepEqual([company.limits, company.models, project.models], [limits, [], ["gpt-*"]]);
  const fields = { name: "", models: [], limits: undefined, expiresAtMs: 0n };
  const { secret } = await billing.keys.createKey({ ...fields, accountId, budgetId: project.id });
  const digest = digestKey(secret, Buffer.from(pepper, "hex"));
  const levels = async () => (await resolveKey(billing, { digest, previousDigests: [] })).caller?.levels;
  assert.deepEqual(await levels(), [
    { id: project.id, name: "project", limits: unlimited, models: ["gpt-*"], version: 1n },
    { id: company.id, name: "company", limits, models: [], version: 1n },
  ]);

  await billing.limits.renew({ holderId: "h1" });
  const stale = { keyVersion: 1n, limit: 60n, returned: [] };
  const borrow = async (sequence: bigint): Promise<bigint> => {
    const terms = { need: 1n, want: 60n, kind: LimitKind.REQUESTS, sequence };
    const { lent } = await billing.limits.borrow({ holderId: "h1", keyId: company.id, ...stale, ...terms });
    return lent.reduce((sum, { count }) => sum + count, 0n);
  };
  await billing.budgets.updateBudget({ id: company.id, limits: { requestsPerMinute: 2n } });
  assert.equal(await borrow(1n), 2n, "a caller of before the change borrows under the new limit");
  await billing.budgets.updateBudget({ id: project.id, models: { models: [] } });
  const lowered = { ...limits, requestsPerMinute: 2n };
  assert.deepEqual(await levels(), [{ id: company.id, name: "company", limits: lowered, models: [], version: 2n }]);
  await assert.rejects(
    billing.budgets.updateBudget({ id: company.id, limits: { tokensPerMinute: -1n } }),
    refused("invalid_request", /cannot be negative/),
  );
  await waitFor(() => announced.length >= 2, { what: "both announcements" });
  assert.deepEqual(announced, [company.id, project.id]);
});

test("two replicas grant concurrently no more than every budget allows, and each counts exactly what was charged", async () => {
  await using db = scratch({ RECALL_WAIT_MS: "0" });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  const accountId = await fund(one, 1_000_000n);
  const organization = await create(one, { accountId, name: "organization", amountNanoUsd: 4_500n, period: WEEK });
  const within = { accountId, parentId: organization.id };
  const research = await create(one, { ...within, name: "research", amountNanoUsd: 2_500n, period: DAY });
  const sales = await create(one, { ...within, name: "sales", amountNanoUsd: 3_500n, period: TOTAL });
  const watched = await create(one, { ...within, name: "watched", amountNanoUsd: 1n, hard: false });
  const random = seededRandom(1);
  let refusals = 0;
  const spent = new Map<string, bigint>();
  const work = async (index: number): Promise<void> => {
    const clients = index % 2 === 0 ? one : two;
    const team = [research, sales, watched][index % 3] as Budget;
    const budgetIds = [team.id, organization.id];
    for (let round = 0; round < 15; round++) {
      const needNanoUsd = BigInt(1 + Math.floor(random() * 300));
      const request = acquireFields({ holderId: `h${index}`, accountId, budgetIds, needNanoUsd, wantNanoUsd: 600n });
      const granted = await clients.grants.acquire(request);
      if (granted.insufficient) {
        refusals++;
        assert.ok(budgetIds.includes(granted.exceededBudget?.id ?? ""), JSON.stringify(granted.exceededBudget?.id));
        continue;
      }
      const costNanoUsd = BigInt(Math.floor(random() * Number(needNanoUsd + 1n)));
      const { grantId } = granted;
      const paid = { grantId, accountId, budgetIds, costNanoUsd, holdNanoUsd: needNanoUsd };
      await clients.ledger.settle({ events: [usage(paid)] });
      for (const id of budgetIds) spent.set(id, (spent.get(id) ?? 0n) + costNanoUsd);
      await clients.grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: costNanoUsd });
    }
  };
  let beyond = 0;
  let running = true;
  const watch = async (): Promise<void> => {
    while (running) {
      const { budgets } = await one.budgets.listBudgets({ accountId, page: undefined });
      for (const { hard, amountNanoUsd, spentNanoUsd, heldNanoUsd } of budgets)
        if (hard && spentNanoUsd + heldNanoUsd > amountNanoUsd) beyond++;
      await sleep(50);
    }
  };
  const watching = watch();
  await Promise.all(Array.from({ length: 12 }, (_, index) => work(index)));
  running = false;
  await watching;
  assert.equal(beyond, 0, "no more was spent and held than a budget allows");
  assert.ok(refusals > 10, `${refusals} grants were refused`);
  for (const { id, name, hard, amountNanoUsd } of [organization, research, sales, watched]) {
    const now = await two.budgets.getBudget({ id });
    assert.deepEqual([now.spentNanoUsd, now.heldNanoUsd], [spent.get(id), 0n], name);
    assert.ok(!hard || now.spentNanoUsd <= amountNanoUsd);
  }
  assert.deepEqual(await faults(one), []);
});

test("a budget that changes while a grant is being issued by the former amount fails that grant's transaction", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const budget = await create(billing, { accountId, name: "team", amountNanoUsd: 900n });
  await assertConflictsWithGrant(db, { collection: "budgets", id: budget.id, accountId }, () =>
    billing.budgets.updateBudget({ id: budget.id, amountNanoUsd: 10n }),
  );

  const holderId = newId("hd");
  const acquired = await billing.grants.acquire(
    acquireFields({ holderId, accountId, budgetIds: [budget.id], needNanoUsd: 11n }),
  );
  assert.deepEqual([acquired.insufficient, acquired.budgetExceeded], [true, true]);
  const { id, name, resetsAtMs } = acquired.exceededBudget!;
  const now = new Date();
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  assert.deepEqual([id, name, Number(resetsAtMs)], [budget.id, "team", nextMonth]);
  await billing.budgets.updateBudget({ id: budget.id, hard: false });
  const soft = await billing.grants.acquire(
    acquireFields({ holderId, accountId, budgetIds: [budget.id], needNanoUsd: 11n }),
  );
  assert.equal(soft.insufficient, false);
});
