import { type ByDay, type DayRange, type ProviderReports, ReportError } from "@uag/providers/reports/types";
import { dayAfter, daysOf } from "@uag/runtime/utc-days";
import type { mongo } from "mongoose";
import { compareDay, type Read, type Tolerance } from "./compare.ts";
import { readOurs } from "./ours.ts";
import type { DayResult } from "./result.ts";
import type { ReconciliationStore } from "./store.ts";

export interface ReconcileParts {
  /** Metering's database. */
  readonly metering: mongo.Db;
  readonly store: ReconciliationStore;
  readonly tolerance: Tolerance;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The most days that one page of every provider's report holds. */
const daysAtOnce = 31;
const maxMs = 300_000;

async function read<T>(report: () => Promise<ByDay<T>>, what: string): Promise<(day: string) => Read<T>> {
  try {
    const found = await report();
    return (day) => found.get(day) ?? `The provider's ${what} report does not include ${day} yet.`;
  } catch (error) {
    if (!(error instanceof ReportError) && !isTimeout(error)) throw error;
    const reason = isTimeout(error) ? `The ${what} report took longer than ${maxMs / 1_000} s.` : error.message;
    return () => reason;
  }
}

const isTimeout = (error: unknown): error is DOMException =>
  error instanceof DOMException && error.name === "TimeoutError";

async function reconcilePart(
  parts: ReconcileParts,
  provider: string,
  reports: ProviderReports,
  days: DayRange,
): Promise<DayResult[]> {
  const signal = AbortSignal.timeout(maxMs);
  const usage = await read(() => reports.usage(days, signal), "usage");
  const costs = await read(() => reports.costs(days, signal), "cost");
  const ours = await readOurs(parts.metering, provider, days);
  const { tolerance } = parts;
  const nowMs = parts.now();
  return daysOf(days).map((day) =>
    compareDay({ provider, day, ours, usage: usage(day), costs: costs(day), reports, tolerance, nowMs }),
  );
}

/**
 * Compares our usage events of these days with the provider's own reports, and stores the results.
 * A report that cannot be read makes its days unreadable.
 */
export async function reconcile(
  parts: ReconcileParts,
  provider: string,
  reports: ProviderReports,
  days: DayRange,
): Promise<DayResult[]> {
  const results: DayResult[] = [];
  for (let first = days.first; first <= days.last; first = dayAfter(first, daysAtOnce)) {
    const end = dayAfter(first, daysAtOnce - 1);
    const [last = end] = [end, days.last].sort();
    results.push(...(await reconcilePart(parts, provider, reports, { first, last })));
  }
  await parts.store.save(results, new Date(parts.now()));
  return results;
}
