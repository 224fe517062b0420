import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A process that ended though nobody had asked it to. */
export interface Death {
  readonly process: string;
  readonly atMs: number;
  readonly how: string;
}

const fileOf = (dataDir: string): string => join(dataDir, "deaths.jsonl");

/** Adds to the list that the data directory keeps over all its runs: the audit asks it what a crash may explain. */
export async function recordDeath(dataDir: string, death: Death): Promise<void> {
  await appendFile(fileOf(dataDir), `${JSON.stringify(death)}\n`);
}

export async function readDeaths(dataDir: string): Promise<Death[]> {
  const text = await readFile(fileOf(dataDir), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Death);
}
