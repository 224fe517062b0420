import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A file of JSON values, one per line. */
export interface LineFile<T> {
  /** Synchronous, so that a line survives a kill of the process right afterwards. */
  append(line: T): void;
  clear(): void;
  close(): void;
}

function readLines<T>(path: string): T[] {
  const lines: T[] = [];
  for (const text of readFileSync(path, "utf8").split("\n")) {
    if (text === "") continue;
    try {
      lines.push(JSON.parse(text));
    } catch (cause) {
      // A kill in the middle of a write leaves a partial line; the lines after it are complete
      // again.
      process.stderr.write(`simulator: skipped a torn line of ${path}: ${cause}\n`);
    }
  }
  return lines;
}

/**
 * Opens (or creates) a file in a folder and returns its lines, which the caller itself has written.
 */
export function openLines<T>(folder: string, name: string): { file: LineFile<T>; lines: T[] } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const descriptor = openSync(path, "a+");
  const lines = readLines<T>(path);
  // Terminates a line that a kill may have left incomplete.
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
