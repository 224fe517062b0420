import {
  budgetListQuery,
  createBudgetRequest,
  endUserListQuery,
  updateBudgetRequest,
} from "@uag/contract/requests/admin-budgets";
import type { budget as budgetResponse, endUserUse } from "@uag/contract/responses/admin-budgets";
import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import type { Shown } from "@uag/contract/responses/shown";
import { type Budget, type BudgetLimits, BudgetPeriod, type EndUserTerms } from "@uag/proto/billing/v1/budgets.ts";
import { usdText } from "@uag/runtime/usd";
import type { z } from "zod";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf, shownLimit, timeText } from "./json.ts";

type PeriodName = (typeof budgetPeriods)[number];

const periodOf = (name: PeriodName): BudgetPeriod => BudgetPeriod[name.toUpperCase() as Uppercase<PeriodName>];

type Fields = z.output<typeof updateBudgetRequest>;
type Limits = Pick<Fields, "rpm_limit" | "tpm_limit" | "max_parallel_requests">;

const limitOf = (limit: number | null | undefined): bigint | undefined =>
  limit === undefined ? undefined : BigInt(limit ?? 0);

/** The limits that a request names; 0 means none. */
const limitsOf = ({ rpm_limit, tpm_limit, max_parallel_requests }: Limits): BudgetLimits => ({
  requestsPerMinute: limitOf(rpm_limit),
  tokensPerMinute: limitOf(tpm_limit),
  concurrentRequests: limitOf(max_parallel_requests),
});

/** The limits that a new budget, or a rule, has; those that it does not name are none. */
function allLimitsOf(limits: Limits) {
  const { requestsPerMinute = 0n, tokensPerMinute = 0n, concurrentRequests = 0n } = limitsOf(limits);
  return { requestsPerMinute, tokensPerMinute, concurrentRequests, monthlyBudgetNanoUsd: 0n };
}

/** The rule for end users that a request sets; empty: it sets none. */
function endUsersOf({ end_users: rule }: Pick<Fields, "end_users">): { endUsers?: EndUserTerms } {
  if (rule === undefined || rule === null) return {};
  const { max_budget: amountNanoUsd, period, required } = rule;
  return { endUsers: { amountNanoUsd, period: periodOf(period), limits: allLimitsOf(rule), required } };
}

const periodName = (period: BudgetPeriod): PeriodName =>
  budgetPeriods.find((name) => periodOf(name) === period) ?? "total";

const showLimits = (limits: Budget["limits"]) => ({
  rpm_limit: shownLimit(limits?.requestsPerMinute),
  tpm_limit: shownLimit(limits?.tokensPerMinute),
  max_parallel_requests: shownLimit(limits?.concurrentRequests),
});

const showEndUsers = ({ amountNanoUsd: amount, period, limits, required }: EndUserTerms) => ({
  max_budget: Number(usdText(amount)),
  max_budget_nano_usd: amount,
  period: periodName(period),
  ...showLimits(limits),
  required,
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
    period: periodName(budget.period),
    hard: budget.hard,
    ...showLimits(budget.limits),
    models: budget.models,
    end_users: budget.endUsers === undefined ? null : showEndUsers(budget.endUsers),
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
  const made = await clients.budgets.createBudget({
    accountId,
    name,
    parentId: parent_id ?? "",
    amountNanoUsd: max_budget,
    period: periodOf(period),
    hard,
    limits: allLimitsOf(fields),
    models,
    ...endUsersOf(fields),
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

export const listEndUsers: AdminHandler = async ({ clients, id, url }) => {
  const { end_user: endUser, limit } = checkedQuery(endUserListQuery, url);
  const found = await clients.budgets.listEndUsers({ budgetId: id, endUser, limit });
  const period = { period_start: timeText(found.periodStartMs), resets_at: timeText(found.resetsAtMs) };
  const uses = found.endUsers.map(
    (use): Shown<typeof endUserUse> => ({
      id: use.id,
      object: "budget.end_user",
      spent_usd: usdText(use.spentNanoUsd),
      reserved_usd: usdText(use.heldNanoUsd),
      ...period,
    }),
  );
  return { body: listOf(uses, "") };
};

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
    ...endUsersOf(fields),
    noEndUsers: fields.end_users === null,
  });
  return { body: showBudget(changed) };
};

export const deleteBudget: AdminHandler = async ({ clients, actor, id }) => ({
  body: showBudget(await clients.budgets.deleteBudget({ id, actor })),
});
