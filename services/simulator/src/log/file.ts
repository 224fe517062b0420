import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Begun, LogEntry } from "./entry.ts";

/** A line of the file: the beginning of an attempt, or its entry. */
export type LogLine = { readonly begun: Begun } | { readonly entry: LogEntry };

export type LogFile = {
  /** Synchronous, so that a line survives a kill of the process right after it. */
  append(line: LogLine): void;
  clear(): void;
  close(): void;
};

function readLines(path: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const text of readFileSync(path, "utf8").split("\n")) {
    if (text === "") continue;
    try {
      lines.push(JSON.parse(text));
    } catch (cause) {
      // A kill in the middle of a write leaves half a line; what follows it is whole again.
      process.stderr.write(`simulator: skipped a torn line of ${path}: ${cause}\n`);
    }
  }
  return lines;
}

/** Opens (or makes) `truth.jsonl` in the folder and gives what it holds. */
export function openLogFile(folder: string): { file: LogFile; lines: LogLine[] } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "truth.jsonl");
  const descriptor = openSync(path, "a+");
  const lines = readLines(path);
  // Ends a line that a kill may have left torn.
  if (lines.length > 0) writeSync(descriptor, "\n");
  return {
    file: {
      append: (line) => writeSync(descriptor, `${JSON.stringify(line)}\n`),
      clear: () => truncateSync(path),
      close: () => closeSync(descriptor),
    },
    lines,
  };
}
