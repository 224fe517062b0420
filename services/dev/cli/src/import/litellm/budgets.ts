import type { Note, Plan, PlannedBudget, Rates } from "../plan.ts";
import { usdLeft } from "../plan.ts";
import type { RowOf } from "./tables.ts";

type Period = PlannedBudget["period"];

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_592_000 };

/** LiteLLM's durations, in seconds, that have a calendar period here. */
const periods: Readonly<Record<number, Period>> = { 86400: "day", 604800: "week", 2592000: "month" };

/** The calendar period of a duration such as `30d`; undefined where there is none. */
function periodOf(duration: string): Period | undefined {
  const [, count, unit = ""] = /^(\d{1,6})(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  return periods[Number(count) * (seconds[unit] ?? Number.NaN)];
}

/** An amount that LiteLLM limits spending to. */
export interface Limit {
  readonly amount: number;
  readonly duration: string | undefined;
  readonly spend: number;
}

/** What it becomes here. A duration without an equal never resets: nothing may spend more than before. */
export function budgetOf({ amount, duration, spend }: Limit): { amount: string; period: Period; note?: string } {
  const period = duration === undefined ? "total" : periodOf(duration);
  if (period === undefined) {
    const note = `Its period of ${duration} has no equal here (day, week or month of the calendar), so its budget never resets. Change it: PATCH /admin/v1/budgets/{id}.`;
    return { amount: usdLeft(amount, spend), period: "total", note };
  }
  return { amount: period === "total" ? usdLeft(amount, spend) : usdLeft(amount), period };
}

interface Level {
  readonly kind: "organization" | "team" | "project";
  readonly id: string;
  readonly name: string | null | undefined;
  readonly limit: Limit | undefined;
  readonly rates: Rates;
  readonly parent: string | undefined;
}

/** The rows that may have budgets. */
export interface Levels {
  readonly budgets: readonly RowOf<"BudgetTable">[];
  readonly organizations: readonly RowOf<"OrganizationTable">[];
  readonly teams: readonly RowOf<"TeamTable">[];
  readonly projects: readonly RowOf<"ProjectTable">[];
}

export type LimitRow = Partial<Pick<RowOf<"BudgetTable">, "max_budget" | "budget_duration">>;

/** A row's limit; undefined without one. */
export function limitOf(row: LimitRow | undefined, spend: number | null | undefined): Limit | undefined {
  if (row?.max_budget === null || row?.max_budget === undefined) return undefined;
  return { amount: row.max_budget, duration: row.budget_duration ?? undefined, spend: spend ?? 0 };
}

type RateRow = Partial<Pick<RowOf<"TeamTable">, "rpm_limit" | "tpm_limit" | "max_parallel_requests">>;

/** LiteLLM's limits of a row, where 0 is none too. */
export const ratesOf = (row: RateRow | undefined): Rates => ({
  rpm_limit: row?.rpm_limit || null,
  tpm_limit: row?.tpm_limit || null,
  max_parallel_requests: row?.max_parallel_requests || null,
});

const isLimited = (rates: Rates): boolean => Object.values(rates).some((rate) => rate !== null);

const noBudget =
  "Limits belong to a budget here, and it has none. Create one: POST /admin/v1/budgets with them and hard: false.";

function levelsOf({ budgets, organizations, teams, projects }: Levels): Level[] {
  const shared = new Map(budgets.map((budget) => [budget.budget_id, budget]));
  const limit = (id: string | null | undefined, spend: number | null | undefined) =>
    limitOf(shared.get(id ?? ""), spend);
  const rates = (id: string | null | undefined) => ratesOf(shared.get(id ?? ""));
  return [
    ...organizations.map((row): Level => {
      const { organization_id: id, organization_alias: name, budget_id: budget, spend } = row;
      return { kind: "organization", id, name, limit: limit(budget, spend), rates: rates(budget), parent: undefined };
    }),
    ...teams.map((row): Level => {
      const { team_id: id, team_alias: name, organization_id: parent, spend } = row;
      return {
        kind: "team",
        id,
        name,
        limit: limitOf(row, spend),
        rates: ratesOf(row),
        parent: parent ? `organization/${parent}` : undefined,
      };
    }),
    ...projects.map((row): Level => {
      const { project_id: id, project_alias: name, team_id: parent, budget_id: budget, spend } = row;
      const above = parent ? `team/${parent}` : undefined;
      return { kind: "project", id, name, limit: limit(budget, spend), rates: rates(budget), parent: above };
    }),
  ];
}

/** Budgets by the `ref` of their level: those of a level without one are those of its parent. */
export type BudgetRefs = ReadonlyMap<string, string | undefined>;

/** Plans the budgets of organizations, teams and projects, within one another. */
export function planBudgets({ budgets, notes }: Pick<Plan, "budgets" | "notes">, rows: Levels): BudgetRefs {
  const levels = levelsOf(rows);
  const refs = new Map<string, string | undefined>();
  const names = new Set<string>();
  for (const { kind, id, name, limit, rates, parent: above } of levels) {
    const ref = `${kind}/${id}`;
    const parent = above === undefined ? undefined : refs.get(above);
    refs.set(ref, limit === undefined ? parent : ref);
    if (limit === undefined && isLimited(rates))
      notes.push({ what: `rate limits of ${kind} ${name || id}`, why: noBudget });
    if (limit === undefined) continue;
    const { note, ...budget } = budgetOf(limit);
    const usual = name || id;
    const unique = names.has(usual) ? `${usual} (${id})` : usual;
    names.add(unique);
    budgets.push({ ref, name: unique, parent, ...budget, ...(isLimited(rates) && { limits: rates }) });
    if (note !== undefined) notes.push({ what: `${kind} ${usual}`, why: note } satisfies Note);
  }
  return refs;
}
