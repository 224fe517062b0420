import type { LogEntry } from "../log/entry.ts";

/** What a provider counts of one attempt. No count contains another. */
export interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly write: number;
  readonly write1h: number;
  readonly audioInput: number;
  readonly imageInput: number;
  readonly output: number;
  readonly audioOutput: number;
  readonly imageOutput: number;
  readonly character: number;
  readonly image: number;
  readonly webSearch: number;
}

export type CountName = keyof Counts;

export const none: Counts = {
  input: 0,
  cached: 0,
  write: 0,
  write1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  audioOutput: 0,
  imageOutput: 0,
  character: 0,
  image: 0,
  webSearch: 0,
};

/** One charged attempt, as the provider's accounting knows it. */
export interface Charged {
  /** The day (UTC) on which the request arrived, as `2026-11-24`. */
  readonly day: string;
  readonly model: string;
  readonly entry: LogEntry;
  readonly counts: Counts;
}

/** A nested number of the provider's usage; 0 when absent. */
export function numberAt(usage: unknown, ...path: readonly string[]): number {
  let value: unknown = usage;
  for (const name of path)
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : 0;
  return typeof value === "number" ? value : 0;
}

/** Output that is charged: all of it, or the part generated before the client disconnected. */
export function chargedOutput({ charged }: LogEntry, whole: number): number {
  return charged?.rule === "made" ? charged.output_tokens : whole;
}

/** The sum of counts. */
export function sumOf(all: readonly Counts[]): Counts {
  const names = Object.keys(none) as CountName[];
  return Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, counts) => sum + counts[name], 0)]),
  ) as unknown as Counts;
}
