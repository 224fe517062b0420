import type { Plan, PlannedBudget } from "./plan.ts";

/** What a key may spend. */
export interface KeyLimit {
  /** USD in each period, or what is left in total. */
  readonly amount: string;
  readonly period: PlannedBudget["period"];
}

/** The fields of a key that say what it may spend. */
export interface KeySpending {
  /** The `ref` of its budget. */
  readonly budget: string | undefined;
  /** USD a month. */
  readonly maxBudget: string | null;
}

interface Owner {
  readonly origin: string;
  readonly name: string;
  readonly account?: string | undefined;
  /** The `ref` of the budget above the key's own. */
  readonly above?: string | undefined;
}

/** Plans what a key may spend: its own field has a month's limit, a budget of its own any other. */
export function planKeyLimit(plan: Plan, { origin, name, account, above }: Owner, limit?: KeyLimit): KeySpending {
  if (limit === undefined) return { budget: above, maxBudget: null };
  const { amount, period } = limit;
  if (period === "month") return { budget: above, maxBudget: amount };
  plan.budgets.push({ ref: origin, name: `${name} (key)`, parent: above, account, amount, period });
  return { budget: origin, maxBudget: null };
}
