import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const linesShown = 4;
const widthShown = 600;
const engineLog = /^(mongod|nats-server|simulator)\.log$/;

/** The ends of the services' logs, for a failure whose cause is only in the logs. */
export async function logEnds(folder: string): Promise<string> {
  const ends: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".log") && !engineLog.test(name))) {
    const lines = (await readFile(join(folder, file), "utf8")).trimEnd().split("\n").slice(-linesShown);
    ends.push(`${file}:`, ...lines.map((line) => `  ${line.slice(0, widthShown)}`));
  }
  return ends.join("\n");
}
