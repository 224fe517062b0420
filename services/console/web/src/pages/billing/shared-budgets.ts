import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Page, SharedBudget } from "../../api/types.ts";
import { orNull } from "../keys/key-values.ts";

const path = "/admin/v1/budgets";
/** Levels of budgets, as the API permits them. */
const maxLevels = 4;

export const budgetPath = (id: string): string => `${path}/${encodeURIComponent(id)}`;

/** All budgets of an account: a tree is shown as a whole. */
async function readAll(account: string, signal: AbortSignal): Promise<SharedBudget[]> {
  const found: SharedBudget[] = [];
  let after: string | null = "";
  while (after !== null) {
    const page: Page<SharedBudget> = await call(path, { query: { account, after }, signal });
    found.push(...page.data);
    after = page.next_cursor;
  }
  return found;
}

export const sharedBudgetsQuery = (account: string) =>
  queryOptions({
    queryKey: ["billing", account, "budgets"],
    queryFn: ({ signal }) => readAll(account, signal),
  });

/** A budget with those directly below it. */
export interface BudgetNode {
  readonly budget: SharedBudget;
  readonly below: readonly BudgetNode[];
}

/** The budgets without one above them, each with those below it. */
export function treeOf(budgets: readonly SharedBudget[]): BudgetNode[] {
  const byParent = Map.groupBy(budgets, ({ parent_id }) => parent_id);
  const under = (parent: string | null): BudgetNode[] =>
    (byParent.get(parent) ?? []).map((budget) => ({ budget, below: under(budget.id) }));
  return under(null);
}

/** A budget's name after the names of those above it, such as "Company / Research", by its id. */
export function pathsOf(budgets: readonly SharedBudget[]): Map<string, string> {
  const paths = new Map<string, string>();
  const visit = (nodes: readonly BudgetNode[], above: string): void => {
    for (const { budget, below } of nodes) {
      paths.set(budget.id, `${above}${budget.name}`);
      visit(below, `${above}${budget.name} / `);
    }
  };
  visit(treeOf(budgets), "");
  return paths;
}

/** The budgets that may have others below them. */
export function possibleParents(budgets: readonly SharedBudget[]): SharedBudget[] {
  const visit = (nodes: readonly BudgetNode[], level: number): SharedBudget[] =>
    level === maxLevels ? [] : nodes.flatMap(({ budget, below }) => [budget, ...visit(below, level + 1)]);
  return visit(treeOf(budgets), 1);
}

/** What a budget's period was charged, and what is reserved, each in percent of the budget. */
export function sharesOf({ spent_usd, reserved_usd, max_budget }: SharedBudget): { spent: number; reserved: number } {
  const percent = (usd: string): number => (Number(usd) / max_budget) * 100;
  return { spent: percent(spent_usd), reserved: percent(reserved_usd) };
}

export interface BudgetValues {
  name: string;
  /** Empty: none. */
  parent_id: string;
  max_budget: string | number;
  period: SharedBudget["period"];
  hard: boolean;
  rpm_limit: number | "";
  tpm_limit: number | "";
  max_parallel_requests: number | "";
  models: string[];
  /** What each end user has; without an amount there is no rule. */
  end_users: EndUserValues;
}

export interface EndUserValues {
  max_budget: string | number;
  period: SharedBudget["period"];
  rpm_limit: number | "";
  tpm_limit: number | "";
  max_parallel_requests: number | "";
  required: boolean;
}

const endUserValuesOf = (rule: SharedBudget["end_users"] | undefined): EndUserValues => ({
  max_budget: rule?.max_budget ?? "",
  period: rule?.period ?? "day",
  rpm_limit: rule?.rpm_limit ?? "",
  tpm_limit: rule?.tpm_limit ?? "",
  max_parallel_requests: rule?.max_parallel_requests ?? "",
  required: rule?.required ?? false,
});

/** The rule that a form describes; null: none. */
function endUsersOf({ max_budget, period, required, ...limits }: EndUserValues) {
  if (max_budget === "") return null;
  return {
    max_budget: Number(max_budget).toFixed(9),
    period,
    required,
    rpm_limit: orNull(limits.rpm_limit),
    tpm_limit: orNull(limits.tpm_limit),
    max_parallel_requests: orNull(limits.max_parallel_requests),
  };
}

export const budgetValuesOf = (budget?: SharedBudget): BudgetValues => ({
  name: budget?.name ?? "",
  parent_id: budget?.parent_id ?? "",
  max_budget: budget?.max_budget ?? "",
  period: budget?.period ?? "month",
  hard: budget?.hard ?? true,
  rpm_limit: budget?.rpm_limit ?? "",
  tpm_limit: budget?.tpm_limit ?? "",
  max_parallel_requests: budget?.max_parallel_requests ?? "",
  models: budget?.models ?? [],
  end_users: endUserValuesOf(budget?.end_users),
});

/** Creates a budget, or changes one; its place in the tree is fixed. */
export function saveBudget(account: string, values: BudgetValues, budget?: SharedBudget): Promise<SharedBudget> {
  const { name, parent_id, max_budget, period, hard, models } = values;
  const limits = {
    rpm_limit: orNull(values.rpm_limit),
    tpm_limit: orNull(values.tpm_limit),
    max_parallel_requests: orNull(values.max_parallel_requests),
    models,
    end_users: endUsersOf(values.end_users),
  };
  const body = { name: name.trim(), max_budget: Number(max_budget).toFixed(9), period, hard, ...limits };
  if (budget !== undefined) return call<SharedBudget>(budgetPath(budget.id), { method: "PATCH", body });
  return call<SharedBudget>(path, {
    method: "POST",
    body: { account_id: account, parent_id: parent_id || null, ...body },
  });
}
