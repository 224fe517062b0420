import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A process that ended though nobody had asked it to. */
export interface Death {
  readonly process: string;
  readonly atMs: number;
  readonly how: string;
}

/**
 * A list that has become longer, bytes, loses its older half: some five thousand crashes are left.
 */
const maxBytes = 1024 * 1024;

const fileOf = (dataDir: string): string => join(dataDir, "crashes.jsonl");

/**
 * Adds to the list that the data directory keeps over all its runs: the audit asks it what a crash
 * may explain. In one go, so that two crashes at once are two lines.
 */
export function recordDeath(dataDir: string, death: Death): void {
  const file = fileOf(dataDir);
  appendFileSync(file, `${JSON.stringify(death)}\n`);
  if (statSync(file).size > maxBytes) forgetOlderHalf(file);
}

function forgetOlderHalf(file: string): void {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  writeFileSync(`${file}.new`, `${lines.slice(Math.floor(lines.length / 2)).join("\n")}\n`);
  renameSync(`${file}.new`, file);
}

export async function readCrashLog(dataDir: string): Promise<Death[]> {
  const text = await readFile(fileOf(dataDir), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Death);
}
