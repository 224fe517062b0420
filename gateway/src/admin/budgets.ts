import { budgetListQuery, createBudgetRequest, updateBudgetRequest } from "@uag/contract/requests/admin-budgets";
import type { budget as budgetResponse } from "@uag/contract/responses/admin-budgets";
import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import type { Shown } from "@uag/contract/responses/shown";
import { type Budget, type BudgetLimits, BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import { usdText } from "@uag/runtime/usd";
import type { z } from "zod";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf, shownLimit, timeText } from "./json.ts";

type PeriodName = (typeof budgetPeriods)[number];

const periodOf = (name: PeriodName): BudgetPeriod => BudgetPeriod[name.toUpperCase() as Uppercase<PeriodName>];

type Limits = z.output<typeof updateBudgetRequest>;

const limitOf = (limit: number | null | undefined): bigint | undefined =>
  limit === undefined ? undefined : BigInt(limit ?? 0);

/** The limits that a request names; 0 means none. */
const limitsOf = ({ rpm_limit, tpm_limit, max_parallel_requests }: Limits): BudgetLimits => ({
  requestsPerMinute: limitOf(rpm_limit),
  tokensPerMinute: limitOf(tpm_limit),
  concurrentRequests: limitOf(max_parallel_requests),
});

function showBudget(budget: Budget): Shown<typeof budgetResponse> {
  const { amountNanoUsd: amount, spentNanoUsd: spent, heldNanoUsd: held } = budget;
  const left = amount - spent - held;
  return {
    id: budget.id,
    object: "budget",
    account_id: budget.accountId,
    name: budget.name,
    parent_id: budget.parentId || null,
    max_budget: Number(usdText(amount)),
    max_budget_nano_usd: amount,
    period: budgetPeriods.find((name) => periodOf(name) === budget.period) ?? "total",
    hard: budget.hard,
    rpm_limit: shownLimit(budget.limits?.requestsPerMinute),
    tpm_limit: shownLimit(budget.limits?.tokensPerMinute),
    max_parallel_requests: shownLimit(budget.limits?.concurrentRequests),
    models: budget.models,
    spent_usd: usdText(spent),
    reserved_usd: usdText(held),
    available_usd: usdText(left > 0n ? left : 0n),
    period_start: timeText(budget.periodStartMs),
    resets_at: timeText(budget.resetsAtMs),
    created_at: timeText(budget.createdAtMs),
    deleted_at: timeText(budget.deletedAtMs),
  };
}

export const createBudget: AdminHandler = async ({ clients, actor, body }) => {
  const fields = checkedBody(createBudgetRequest, body);
  const { account_id: accountId, name, parent_id, max_budget, period, hard, models = [] } = fields;
  const { requestsPerMinute = 0n, tokensPerMinute = 0n, concurrentRequests = 0n } = limitsOf(fields);
  const made = await clients.budgets.createBudget({
    accountId,
    name,
    parentId: parent_id ?? "",
    amountNanoUsd: max_budget,
    period: periodOf(period),
    hard,
    limits: { requestsPerMinute, tokensPerMinute, concurrentRequests, monthlyBudgetNanoUsd: 0n },
    models,
    actor,
  });
  return { status: 201, body: showBudget(made) };
};

export const listBudgets: AdminHandler = async ({ clients, url }) => {
  const { account = "", ...query } = checkedQuery(budgetListQuery, url);
  const { budgets, nextCursor } = await clients.budgets.listBudgets({ accountId: account, page: pageOf(query) });
  return { body: listOf(budgets.map(showBudget), nextCursor) };
};

export const getBudget: AdminHandler = async ({ clients, id }) => ({
  body: showBudget(await clients.budgets.getBudget({ id })),
});

export const updateBudget: AdminHandler = async ({ clients, actor, id, body }) => {
  const fields = checkedBody(updateBudgetRequest, body);
  const { name, max_budget, period, hard, models } = fields;
  const changed = await clients.budgets.updateBudget({
    id,
    actor,
    ...(name !== undefined && { name }),
    ...(max_budget !== undefined && { amountNanoUsd: max_budget }),
    ...(period !== undefined && { period: periodOf(period) }),
    ...(hard !== undefined && { hard }),
    limits: limitsOf(fields),
    ...(models !== undefined && { models: { models } }),
  });
  return { body: showBudget(changed) };
};

export const deleteBudget: AdminHandler = async ({ clients, actor, id }) => ({
  body: showBudget(await clients.budgets.deleteBudget({ id, actor })),
});
