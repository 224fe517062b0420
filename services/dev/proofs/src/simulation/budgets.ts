import assert from "node:assert/strict";
import { monthOf, periodAt, type SharedBudget } from "@uag/ledger/rules/budget";
import { type Grant, isLive, leftOf } from "@uag/ledger/rules/grant";
import type { Charge } from "@uag/ledger/rules/spending";
import { dayOf } from "@uag/runtime/utc-days";

/** A key of the account that has a monthly budget, nano-USD. */
export const budgetKey = "key_budget";
export const monthlyBudget = 3_000n;

/** A team's budget for a day, within an organization's for a week, and one above that is only counted. */
export const sharedBudgets: ReadonlyMap<string, SharedBudget> = new Map(
  (
    [
      { id: "bud_team", amount: 1_000n, period: "day", hard: true },
      { id: "bud_organization", amount: 1_500n, period: "week", hard: true },
      { id: "bud_fleet", amount: 1n, period: "total", hard: false },
    ] as const
  ).map((budget) => [budget.id, { ...budget, name: budget.id }]),
);

const dayMs = 86_400_000;

/** What counts against the budgets of the simulated account. */
export class Budgets {
  readonly #now: () => number;
  /** Charged by key and month, and by shared budget and day, nano-USD. */
  readonly #spending = new Map<string, bigint>();

  /** @param now the database's time */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Charged in the current period, by key and by shared budget. */
  spentBy(ids: readonly string[]): Map<string, bigint> {
    return new Map(ids.map((id) => [id, this.#spentBy(id)]));
  }

  #spentBy(id: string): bigint {
    const period = sharedBudgets.get(id)?.period;
    if (period === undefined) return this.#spending.get(`${id}/${monthOf(this.#now())}`) ?? 0n;
    // Only a budget that limits nothing has this period here.
    if (period === "total") return 0n;
    let sum = 0n;
    for (let ms = periodAt(period, this.#now()).startMs; ms <= this.#now(); ms += dayMs)
      sum += this.#spending.get(`${id}/${dayOf(ms)}`) ?? 0n;
    return sum;
  }

  spend({ keyId = "", budgetId, charged }: Charge): void {
    const now = this.#now();
    const id = budgetId === undefined ? `${keyId}/${monthOf(now)}` : `${budgetId}/${dayOf(now)}`;
    this.#spending.set(id, (this.#spending.get(id) ?? 0n) + charged);
  }

  /** @throws {AssertionError} when a new grant holds more than the rest of one of its budgets */
  check({ keyId, budgetIds }: Grant, grants: ReadonlyMap<string, Grant>): void {
    const within = (id: string, amount: bigint, counts: (grant: Grant) => boolean): void => {
      let all = this.#spentBy(id);
      for (const grant of grants.values()) if (isLive(grant) && counts(grant)) all += leftOf(grant);
      assert.ok(all <= amount, `${all} are spent or held after a grant, above the budget of ${amount} of ${id}`);
    };
    if (keyId !== "") within(keyId, monthlyBudget, (grant) => grant.keyId === keyId);
    for (const id of budgetIds) {
      const { amount, hard } = sharedBudgets.get(id) as SharedBudget;
      if (hard) within(id, amount, (grant) => grant.budgetIds.includes(id));
    }
  }
}
