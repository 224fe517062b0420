import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authorizationBlock } from "@uag/local/engines/nats";
import { monitoringFiles } from "../prometheus/generated.ts";
import { charts, engineCharts, fleetChart, helmDir, readValues, type Values } from "./charts.ts";
import { runToolOf } from "./tools.ts";
import { chartSchema, settingsSchema } from "./values-schema.ts";

async function schemaFor(chart: string): Promise<string> {
  const { global, ...subcharts } = (await readValues(fleetChart)) as Values & { global: Values };
  // The charts of the fleet have schemas of their own.
  const open = Object.keys(subcharts).map((name) => [name, { type: "object" }] as const);
  if (chart === fleetChart) return chartSchema({}, global, Object.fromEntries(open));
  const isEngine = engineCharts.includes(chart);
  return chartSchema(await readValues(chart), global, isEngine ? {} : { settings: await settingsSchema(chart) });
}

/** Returns the name of an outdated file; with `fix` writes it. */
async function put(file: string, text: string, fix: boolean): Promise<string[]> {
  if ((await readFile(join(helmDir, file), "utf8").catch(() => "")) === text) return [];
  if (fix) await writeFile(join(helmDir, file), text);
  return [file];
}

/** The users of NATS in its chart; their passwords are variables, which a Secret sets. */
const natsUsers = ["nats/authorization.conf", authorizationBlock((peer) => `$password_${peer}`)] as const;

/**
 * Returns the outdated files among schemas of values, rules, dashboards and users; with `fix`
 * writes them.
 */
export async function chartFiles(fix: boolean): Promise<string[]> {
  const stale: string[] = [];
  for (const [file, text] of [...(await monitoringFiles()), natsUsers]) stale.push(...(await put(file, text, fix)));
  for (const chart of charts) stale.push(...(await put(`${chart}/values.schema.json`, await schemaFor(chart), fix)));
  return stale;
}

/** Returns all outdated generated files; with `fix` writes them. */
export async function generated(fix: boolean): Promise<string[]> {
  const stale = await chartFiles(fix);
  for (const chart of [...charts, "common"])
    stale.push(...(await put(`${chart}/README.md`, await readmeFor(chart), fix)));
  for (const [file, text] of await lockFiles()) stale.push(...(await put(file, text, fix)));
  return stale;
}

/** Every chart's Chart.lock, which Helm rewrites only if the dependencies changed. */
async function lockFiles(): Promise<Map<string, string>> {
  const dir = await mkdtemp(join(tmpdir(), "charts-"));
  try {
    await cp(helmDir, dir, { recursive: true });
    const locks = new Map<string, string>();
    for (const chart of charts) {
      await runToolOf("helm", ["dependency", "update", join(dir, chart)]);
      const file = `${chart}/Chart.lock`;
      locks.set(file, await readFile(join(dir, file), "utf8"));
    }
    return locks;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readmeFor(chart: string): Promise<string> {
  const args = [
    "--dry-run",
    "--skip-version-footer",
    "--log-level=error",
    `--chart-search-root=${join(helmDir, chart)}`,
  ];
  return `${(await runToolOf("helm-docs", args, helmDir)).trim()}\n`;
}
