import {
  attoUsdPerNano,
  type ProviderReports,
  type ReportedCost,
  type ReportedUsage,
} from "@uag/providers/reports/types";
import { dayAfter, startOf } from "@uag/runtime/utc-days";
import { roundedQuotient } from "@uag/untrusted/decimal";
import type { Ours } from "./ours.ts";
import { type Cell, costUnit, type DayResult } from "./result.ts";

/** When two figures agree. */
export interface Tolerance {
  /** Of the larger figure, in millionths. */
  readonly ppm: bigint;
  /** How long after its end a day's report may still change, milliseconds. */
  readonly settledAfterMs: number;
}

/** Rows of a day, or the reason why they could not be read. */
export type Read<T> = readonly T[] | string;

export interface DayInput {
  readonly provider: string;
  readonly day: string;
  readonly ours: Ours;
  readonly usage: Read<ReportedUsage>;
  readonly costs: Read<ReportedCost>;
  readonly reports: Pick<ProviderReports, "unitReported" | "modelReported">;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

interface Sum {
  ours: bigint;
  theirs: bigint | null;
  slack: bigint;
}

/** Sums by model and unit. */
class Sums {
  readonly #byKey = new Map<string, Sum & Pick<Cell, "model" | "unit">>();

  of(model: string, unit: string, theirs: bigint | null = 0n): Sum {
    const key = `${model}\n${unit}`;
    const known = this.#byKey.get(key) ?? { model, unit, ours: 0n, theirs, slack: 0n };
    this.#byKey.set(key, known);
    return known;
  }

  cells(tolerance: Tolerance, roundingOf: (unit: string) => bigint): Cell[] {
    const sums = [...this.#byKey.values()].filter(({ ours, theirs }) => ours !== 0n || (theirs ?? 0n) !== 0n);
    const otherwise = countedOtherwise(sums);
    const cells = sums.map((sum): Cell => {
      if (sum.unit !== costUnit && sum.ours === 0n && otherwise.has(sum.model))
        return { ...sum, ours: null, state: "not_comparable" };
      return { ...sum, state: stateOf(sum, tolerance, roundingOf(sum.unit)) };
    });
    return cells.sort((a, b) => a.model.localeCompare(b.model) || a.unit.localeCompare(b.unit));
  }
}

/**
 * Models that we count in none of the provider's units: images that are billed by tokens are
 * reported by their number.
 */
function countedOtherwise(sums: readonly (Sum & Pick<Cell, "model" | "unit">)[]): ReadonlySet<string> {
  const usage = sums.filter(({ unit }) => unit !== costUnit);
  const alike = new Set(usage.filter(({ ours, theirs }) => ours !== 0n && theirs !== null).map(({ model }) => model));
  return new Set(usage.filter(({ theirs, model }) => theirs === null && !alike.has(model)).map(({ model }) => model));
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

function stateOf({ ours, theirs, slack }: Sum, { ppm }: Tolerance, rounding: bigint): Cell["state"] {
  if (theirs === null) return "not_comparable";
  const larger = ours > theirs ? ours : theirs;
  const allowed = slack + rounding + (larger * ppm) / 1_000_000n;
  return absolute(ours - theirs) <= allowed ? "agrees" : "drifts";
}

/**
 * A request that ran over midnight is counted on the day of its end; the provider may count it on
 * either.
 */
function add(sum: Sum, { startDay, endDay }: { startDay: string; endDay: string }, day: string, quantity: bigint) {
  if (endDay === day) sum.ours += quantity;
  if (startDay !== endDay && (startDay === day || endDay === day)) sum.slack += quantity;
}

function addUsage(sums: Sums, { day, ours, usage, reports }: DayInput): void {
  if (typeof usage === "string") return;
  for (const { model, units } of usage)
    for (const [unit, quantity] of units) {
      const sum = sums.of(model, unit);
      sum.theirs = (sum.theirs ?? 0n) + quantity;
    }
  for (const row of ours.quantities) {
    if (row.startDay !== day && row.endDay !== day) continue;
    const unit = reports.unitReported(row.operation, row.unit);
    const model = reports.modelReported(row.model);
    add(unit === undefined ? sums.of(model, row.unit, null) : sums.of(model, unit), row, day, row.quantity);
  }
}

/**
 * The day's total, and each model's cost where the provider attributes every line of the day to a
 * model.
 */
function addCosts(sums: Sums, { day, ours, costs, reports }: DayInput): void {
  if (typeof costs === "string") return;
  const byModel = new Map<string, bigint>();
  let total = 0n;
  for (const { model = "", attoUsd } of costs) {
    total += attoUsd;
    byModel.set(model, (byModel.get(model) ?? 0n) + attoUsd);
  }
  const whole = byModel.get("") === undefined;
  sums.of("", costUnit).theirs = nano(total);
  if (whole) for (const [model, cost] of byModel) sums.of(model, costUnit).theirs = nano(cost);
  for (const row of ours.spent) {
    if (row.startDay !== day && row.endDay !== day) continue;
    add(sums.of("", costUnit), row, day, row.costNanoUsd);
    add(sums.of(reports.modelReported(row.model), costUnit, whole ? 0n : null), row, day, row.costNanoUsd);
  }
}

const nano = (attoUsd: bigint): bigint =>
  attoUsd < 0n ? -roundedQuotient(-attoUsd, attoUsdPerNano) : roundedQuotient(attoUsd, attoUsdPerNano);

/** Compares one day. What could not be read on either side makes the day unreadable. */
export function compareDay(input: DayInput): DayResult {
  const { provider, day, ours, usage, costs, tolerance, nowMs } = input;
  const settled = nowMs >= startOf(dayAfter(day)) + tolerance.settledAfterMs;
  const spent = ours.spent.filter(({ endDay }) => endDay === day);
  const requests = spent.reduce((sum, row) => sum + row.requests, 0n);
  const estimated = spent.reduce((sum, row) => sum + row.estimated, 0n);
  const unreadable = [usage, costs].filter((read) => typeof read === "string");
  if (ours.archived.has(day))
    unreadable.push(`Our usage events of ${day.slice(0, 7)} are archived: only days in the database are compared.`);
  const sums = new Sums();
  if (!ours.archived.has(day)) {
    addUsage(sums, input);
    addCosts(sums, input);
  }
  // Each of our requests is rounded up to a whole nano-USD, the provider's sum is rounded once.
  const cells = sums.cells(tolerance, (unit) => (unit === costUnit ? requests + 1n : 0n));
  const drifts = cells.some(({ state }) => state === "drifts");
  const state = unreadable.length > 0 ? "unreadable" : drifts ? "drifts" : "agrees";
  return { provider, day, state, settled, unreadable, requests, estimated, cells };
}
