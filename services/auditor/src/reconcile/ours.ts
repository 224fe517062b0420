import type { DayRange } from "@uag/providers/reports/types";
import { dayAfter, daysOf, startOf } from "@uag/runtime/utc-days";
import { type MonthDocument, monthBefore, openPartitions, type Partition } from "@uag/usage/documents/months";
import type { mongo } from "mongoose";

/** A sum over usage events with the same names and days. */
export interface Quantity {
  readonly startDay: string;
  readonly endDay: string;
  readonly model: string;
  readonly operation: string;
  readonly unit: string;
  readonly quantity: bigint;
}

/** Costs and counts of usage events with the same model and days. */
export interface Spent {
  readonly startDay: string;
  readonly endDay: string;
  readonly model: string;
  readonly costNanoUsd: bigint;
  readonly requests: bigint;
  readonly estimated: bigint;
}

/** Our usage events of one provider. */
export interface Ours {
  readonly quantities: readonly Quantity[];
  readonly spent: readonly Spent[];
  /** Days whose events are archived, and no longer in the database. */
  readonly archived: ReadonlySet<string>;
}

const day = (field: string) => ({ $dateToString: { date: field, format: "%Y-%m-%d" } });
const keys = { startDay: day("$startedAt"), endDay: day("$endedAt"), model: "$upstreamModel" };
const flat = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `$_id.${name}`]));

function quantitiesOf(match: object): object[] {
  return [
    { $match: match },
    { $unwind: "$units" },
    {
      $group: {
        _id: { ...keys, operation: "$operation", unit: "$units.name" },
        quantity: { $sum: "$units.quantity" },
      },
    },
    { $project: { _id: 0, quantity: 1, ...flat(["startDay", "endDay", "model", "operation", "unit"]) } },
  ];
}

function spentOf(match: object): object[] {
  const estimated = { $sum: { $cond: [{ $eq: ["$pricing", "PRICING_ESTIMATED"] }, 1, 0] } };
  return [
    { $match: match },
    { $group: { _id: keys, costNanoUsd: { $sum: "$costNanoUsd" }, requests: { $sum: 1 }, estimated } },
    { $project: { _id: 0, costNanoUsd: 1, requests: 1, estimated: 1, ...flat(["startDay", "endDay", "model"]) } },
  ];
}

/** Events are kept by the month of their start; a task may have started in the month before. */
function mayHold({ first, last }: DayRange, { month }: Partition): boolean {
  return month === undefined || (month >= monthBefore(new Date(startOf(first)), 1) && month <= last.slice(0, 7));
}

/** Days of archived months: their events are in files. */
async function archivedDays(db: mongo.Db, days: DayRange): Promise<Set<string>> {
  const months = [...new Set(daysOf(days).map((each) => each.slice(0, 7)))];
  const found = await db
    .collection<MonthDocument>("months")
    .find({ _id: { $in: months }, "parts.0": { $exists: true } })
    .toArray();
  const archived = new Set(found.map(({ _id }) => _id));
  return new Set(daysOf(days).filter((each) => archived.has(each.slice(0, 7))));
}

/**
 * Sums the usage events of requests that a provider served on these days, by the day of their end
 * (UTC). Includes requests that began on them and ended on the day after.
 */
export async function readOurs(db: mongo.Db, provider: string, days: DayRange): Promise<Ours> {
  const until = new Date(startOf(dayAfter(days.last, 2)));
  const match = {
    upstream: provider,
    "units.0": { $exists: true },
    endedAt: { $gte: new Date(startOf(days.first)), $lt: until },
  };
  const partitions = (await (await openPartitions(db)).list()).filter((partition) => mayHold(days, partition));
  const quantities: Quantity[] = [];
  const spent: Spent[] = [];
  for (const { rows } of partitions) {
    for await (const row of rows.aggregate<Quantity>(quantitiesOf(match)))
      quantities.push({ ...row, quantity: BigInt(row.quantity) });
    for await (const row of rows.aggregate<Spent>(spentOf(match))) {
      const { costNanoUsd, requests, estimated } = row;
      const sums = { costNanoUsd: BigInt(costNanoUsd), requests: BigInt(requests), estimated: BigInt(estimated) };
      spent.push({ ...row, ...sums });
    }
  }
  return { quantities, spent, archived: await archivedDays(db, days) };
}
