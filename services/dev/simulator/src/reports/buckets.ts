import type { Faults } from "../faults/catalogue.ts";
import type { LogEntry } from "../log/entry.ts";

const dayMs = 86_400_000;

/** The day (UTC) of a time, as `2026-11-24`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A page of a report: the starts of its days in milliseconds, and where the next one begins. */
export interface Page {
  readonly days: readonly number[];
  readonly next: string | null;
}

export interface Range {
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
  /** Most days of a page. */
  readonly limit: number;
  /** The cursor of an earlier page. */
  readonly page: string | null;
}

/** The days of a page; undefined for a cursor that no page gave. */
export function pageOf({ fromMs, untilMs, limit, page }: Range): Page | undefined {
  const start = page === null ? fromMs : Number(Buffer.from(page, "base64url").toString());
  if (!Number.isSafeInteger(start) || start < fromMs) return undefined;
  const days: number[] = [];
  let day = start - (start % dayMs);
  for (; day < untilMs && days.length < limit; day += dayMs) days.push(day);
  return { days, next: day < untilMs ? Buffer.from(String(day)).toString("base64url") : null };
}

/** Charged attempts that the reports contain by now: later with the fault `report-late`. */
export function reported(entries: readonly LogEntry[], faults: Faults, nowMs: number): LogEntry[] {
  const lateMs = (faults["report-late"] ?? 0) * 1_000;
  return entries.filter(
    ({ at, duration_ms, charged }) =>
      charged !== null && charged.rule !== "nothing" && Date.parse(at) + duration_ms + lateMs <= nowMs,
  );
}

/** True for a day that the fault `report-missing` keeps out of the report. */
export function isMissing(day: string, faults: Faults, nowMs: number): boolean {
  const missing = faults["report-missing"];
  return missing !== undefined && day === (missing === "today" ? dayOf(nowMs) : missing);
}

/** Repeated or comma-separated values of a query parameter, with or without brackets. */
export function listIn(query: URLSearchParams, name: string): string[] {
  return [...query.getAll(name), ...query.getAll(`${name}[]`)].flatMap((text) => text.split(","));
}
