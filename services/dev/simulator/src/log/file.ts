import type { Begun, LogEntry } from "./entry.ts";
import { type LineFile, openLines } from "./lines.ts";

/** A line of the file: the beginning of an attempt, or its entry. */
export type LogLine = { readonly begun: Begun } | { readonly entry: LogEntry };
export type LogFile = LineFile<LogLine>;

/** Opens (or creates) `truth.jsonl` in the folder and returns its lines. */
export function openLogFile(folder: string): { file: LogFile; lines: LogLine[] } {
  return openLines<LogLine>(folder, "truth.jsonl");
}
