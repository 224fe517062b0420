import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A process that ended unexpectedly. */
export interface Crash {
  readonly process: string;
  readonly atMs: number;
  readonly how: string;
}

/**
 * The older half is removed when the list exceeds this many bytes; about five thousand crashes remain.
 */
const maxBytes = 1024 * 1024;

const fileOf = (dataDir: string): string => join(dataDir, "crashes.jsonl");

/**
 * Appends to the data directory's list of crashes, which spans all its runs: the audit uses it to
 * explain differences. Appends in a single write, so that two concurrent crashes are two lines.
 */
export function recordCrash(dataDir: string, crash: Crash): void {
  const file = fileOf(dataDir);
  appendFileSync(file, `${JSON.stringify(crash)}\n`);
  if (statSync(file).size > maxBytes) forgetOlderHalf(file);
}

function forgetOlderHalf(file: string): void {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  writeFileSync(`${file}.new`, `${lines.slice(Math.floor(lines.length / 2)).join("\n")}\n`);
  renameSync(`${file}.new`, file);
}

export async function readCrashLog(dataDir: string): Promise<Crash[]> {
  const text = await readFile(fileOf(dataDir), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Crash);
}
