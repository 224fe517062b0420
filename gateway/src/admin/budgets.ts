import { budgetListQuery, createBudgetRequest, updateBudgetRequest } from "@uag/contract/requests/admin-budgets";
import type { budget as budgetResponse } from "@uag/contract/responses/admin-budgets";
import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import type { Shown } from "@uag/contract/responses/shown";
import { type Budget, BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf, timeText } from "./json.ts";

type PeriodName = (typeof budgetPeriods)[number];

const periodOf = (name: PeriodName): BudgetPeriod => BudgetPeriod[name.toUpperCase() as Uppercase<PeriodName>];

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
  const { account_id: accountId, name, parent_id, max_budget, period, hard } = checkedBody(createBudgetRequest, body);
  const made = await clients.budgets.createBudget({
    accountId,
    name,
    parentId: parent_id ?? "",
    amountNanoUsd: max_budget,
    period: periodOf(period),
    hard,
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
  const { name, max_budget, period, hard } = checkedBody(updateBudgetRequest, body);
  const changed = await clients.budgets.updateBudget({
    id,
    actor,
    ...(name !== undefined && { name }),
    ...(max_budget !== undefined && { amountNanoUsd: max_budget }),
    ...(period !== undefined && { period: periodOf(period) }),
    ...(hard !== undefined && { hard }),
  });
  return { body: showBudget(changed) };
};

export const deleteBudget: AdminHandler = async ({ clients, actor, id }) => ({
  body: showBudget(await clients.budgets.deleteBudget({ id, actor })),
});
