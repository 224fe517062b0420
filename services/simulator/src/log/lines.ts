import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A file of JSON values, one a line. */
export interface LineFile<T> {
  /** Synchronous, so that a line survives a kill of the process right after it. */
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
      // A kill in the middle of a write leaves half a line; what follows it is whole again.
      process.stderr.write(`simulator: skipped a torn line of ${path}: ${cause}\n`);
    }
  }
  return lines;
}

/**
 * Opens (or makes) a file in a folder and gives the lines that it holds, which the caller itself
 * has written.
 */
export function openLines<T>(folder: string, name: string): { file: LineFile<T>; lines: T[] } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const descriptor = openSync(path, "a+");
  const lines = readLines<T>(path);
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
