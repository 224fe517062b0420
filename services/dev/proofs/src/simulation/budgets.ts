import assert from "node:assert/strict";
import { isEndUserLevel } from "@uag/contract/end-users";
import { type BudgetPeriod, monthOf, periodAt, type SharedBudget } from "@uag/ledger/rules/budget";
import { type Grant, isLive, leftOf } from "@uag/ledger/rules/grant";
import type { Charge } from "@uag/ledger/rules/spending";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { dayOf } from "@uag/runtime/utc-days";
import type { Envelopes } from "./envelopes.ts";

/** A key of the account that has a monthly budget, nano-USD. */
export const budgetKey = "key_budget";
export const monthlyBudget = 3_000n;

/** A team's budget for a day, within an organization's for a week, and one above that is only counted. */
const levels: ReadonlyMap<string, SharedBudget> = new Map(
  (
    [
      { id: "bud_team", amount: 1_000n, period: "day", hard: true },
      { id: "bud_organization", amount: 1_500n, period: "week", hard: true },
      { id: "bud_fleet", amount: 1n, period: "total", hard: false },
    ] as const
  ).map((budget) => [budget.id, { ...budget, name: budget.id }]),
);

/** What each end user of the team's budget has, less than the team. */
const endUserPart = { amount: 450n, period: "day", hard: true } as const;

/** The first day that is counted. */
const never = "";

/** What counts toward one level on one day, nano-USD. */
interface Day {
  charged: bigint;
  /** The part that no grant covered: a cost above its hold, or the bill of a process dead for long. */
  beyond: bigint;
}

/** What counts against the budgets and envelopes of the simulated account. */
export class Budgets {
  readonly #now: () => number;
  readonly #envelopes: Envelopes;
  /** Charged by key and month, nano-USD. */
  readonly #months = new Map<string, bigint>();
  /** By level, then by day. */
  readonly #days = new Map<string, Map<string, Day>>();
  #latestMs = 0;

  /** @param now the database's time */
  constructor(now: () => number, envelopes: Envelopes) {
    this.#now = now;
    this.#envelopes = envelopes;
  }

  /** The levels with these ids. */
  shared(ids: readonly string[]): Map<string, SharedBudget> {
    return new Map(ids.map((id) => [id, this.#levelOf(id)]));
  }

  #levelOf(id: string): SharedBudget {
    if (isEndUserLevel(id)) return { ...endUserPart, id, name: id };
    return levels.get(id) ?? this.#envelopes.budget(id) ?? assert.fail(`the budget ${id} does not exist`);
  }

  /** Charged in the current period, by key. */
  ofKeys(ids: readonly string[]): Map<string, bigint> {
    return new Map(ids.map((id) => [id, this.#months.get(`${id}/${monthOf(this.#now())}`) ?? 0n]));
  }

  /** Charged in the current period, by level. */
  ofLevels(ids: readonly string[]): Map<string, bigint> {
    return new Map(ids.map((id) => [id, this.#spentAt(id).charged]));
  }

  #spentAt(id: string): Day {
    const first = firstDay(this.#levelOf(id).period, this.#now());
    const sum = { charged: 0n, beyond: 0n };
    for (const [day, { charged, beyond }] of this.#days.get(id) ?? []) {
      if (day < first || day > dayOf(this.#now())) continue;
      sum.charged += charged;
      sum.beyond += beyond;
    }
    return sum;
  }

  spend({ keyId = "", budgetId, charged }: Charge): void {
    if (budgetId !== undefined) {
      this.#dayOf(budgetId).charged += charged;
      return;
    }
    const month = `${keyId}/${monthOf(this.#now())}`;
    this.#months.set(month, (this.#months.get(month) ?? 0n) + charged);
  }

  #dayOf(id: string): Day {
    const days = this.#days.get(id) ?? new Map<string, Day>();
    this.#days.set(id, days);
    const day = days.get(dayOf(this.#now())) ?? { charged: 0n, beyond: 0n };
    days.set(dayOf(this.#now()), day);
    return day;
  }

  /**
   * Takes the rows of one transaction, after its charges.
   * @param grants all of them
   * @throws {AssertionError} when a level is overspent
   */
  booked(entries: readonly Entry[], grants: ReadonlyMap<string, Grant>): void {
    const touched = new Set<string>();
    for (const { event, chargedNanoUsd, heldNanoUsd } of entries) {
      // What a row takes from the held money was reserved for it.
      const beyond = chargedNanoUsd + heldNanoUsd;
      for (const id of event?.budgetIds ?? []) {
        touched.add(id);
        if (beyond > 0n) this.#dayOf(id).beyond += beyond;
      }
    }
    // In a period to which the clock was set back, grants of the next one would count again.
    if (this.#now() < this.#latestMs) return;
    this.#latestMs = this.#now();
    for (const id of touched) this.#checkLevel(id, grants);
  }

  #checkLevel(id: string, grants: ReadonlyMap<string, Grant>): void {
    const { amount, hard } = this.#levelOf(id);
    if (!hard) return;
    const { charged, beyond } = this.#spentAt(id);
    let all = charged - beyond;
    for (const grant of grants.values()) if (isLive(grant) && grant.budgetIds.includes(id)) all += leftOf(grant);
    assert.ok(all <= amount, `${all} are spent or held, above the budget of ${amount} of ${id}`);
  }

  /** @throws {AssertionError} when a new grant holds more than the rest of one of its budgets */
  check({ keyId, budgetIds }: Grant, grants: ReadonlyMap<string, Grant>): void {
    this.#envelopes.checkOpen(budgetIds);
    const within = (
      id: string,
      { amount, spent }: { amount: bigint; spent: bigint },
      counts: (grant: Grant) => boolean,
    ) => {
      let all = spent;
      for (const grant of grants.values()) if (isLive(grant) && counts(grant)) all += leftOf(grant);
      assert.ok(all <= amount, `${all} are spent or held after a grant, above the budget of ${amount} of ${id}`);
    };
    if (keyId !== "") {
      const spent = this.ofKeys([keyId]).get(keyId) as bigint;
      within(keyId, { amount: monthlyBudget, spent }, (grant) => grant.keyId === keyId);
    }
    for (const id of budgetIds) {
      const { amount, hard } = this.#levelOf(id);
      const spent = this.#spentAt(id).charged;
      if (hard) within(id, { amount, spent }, (grant) => grant.budgetIds.includes(id));
    }
  }

  /**
   * Compares what was counted toward each level with the rows of the ledger, when nothing is in flight.
   * @throws {AssertionError} when a charge is missing at a level, or counts there twice
   */
  compare(entries: readonly Entry[]): void {
    const rows = new Map<string, bigint>();
    for (const { event, chargedNanoUsd } of entries)
      for (const id of event?.budgetIds ?? []) rows.set(id, (rows.get(id) ?? 0n) + chargedNanoUsd);
    for (const id of new Set([...rows.keys(), ...this.#days.keys()])) {
      let counted = 0n;
      for (const { charged } of this.#days.get(id)?.values() ?? []) counted += charged;
      assert.equal(counted, rows.get(id) ?? 0n, `what counts toward ${id} is not what its rows charged`);
    }
  }
}

const firstDay = (period: BudgetPeriod, nowMs: number): string =>
  period === "total" ? never : dayOf(periodAt(period, nowMs).startMs);
