// npm run sizing: what a fleet needs for a number of requests, from the last benchmark's figures.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { stringify } from "yaml";
import { benchmarkSchema, figuresOf } from "./figures.ts";
import { figuresFile, readFigures, usual } from "./handbook.ts";
import { type Demand, planFor } from "./plan.ts";
import { planRows } from "./table.ts";
import { valuesOf } from "./values.ts";

const help = `npm run sizing -- --requests-per-day <n> [options]

Computes what a fleet needs from the figures in infra/sizing.json, which a benchmark measured: prints a table, and the
values for the fleet's chart.

  --requests-per-day <n>  such as 1e9
  --peak <n>              requests in the busiest minutes, relative to the average (default ${usual.peakOverAverage})
  --streams <percent>     share of the requests that stream (default ${usual.streamed * 100})
  --chunks <n>            chunks of a stream (default ${usual.chunksPerStream})
  --stream-seconds <n>    duration of a stream (default ${usual.secondsPerStream})
  --accounts <n>          accounts that send requests (default ${usual.accounts})
  --retention-days <n>    how long usage stays in MongoDB (default ${usual.retentionDays})
  --outage-minutes <n>    how long metering may be down before JetStream is full (default ${usual.outageMinutes})
  --utilization <percent> share of a core that a process uses at the peak (default ${usual.utilization * 100})
  --disk-usd <n>          price of a GB of disk for a month (default ${usual.diskUsd})

npm run sizing -- --from <file>

Takes new figures from the file of npm run bench -- --json <file>.
`;

/** Fields of a demand by their options, and what one of the option's units is. */
const fields = {
  "requests-per-day": ["requestsPerDay", 1],
  peak: ["peakOverAverage", 1],
  streams: ["streamed", 0.01],
  chunks: ["chunksPerStream", 1],
  "stream-seconds": ["secondsPerStream", 1],
  accounts: ["accounts", 1],
  "retention-days": ["retentionDays", 1],
  "outage-minutes": ["outageMinutes", 1],
  utilization: ["utilization", 0.01],
  "disk-usd": ["diskUsd", 1],
} as const satisfies Record<string, readonly [keyof Demand, number]>;

function positive(option: string, value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new UserError(`--${option} must be a number of 0 or more, not "${value}".`);
}

function demandIn(values: Readonly<Record<string, string | boolean | undefined>>): Demand {
  const changes: Partial<Record<keyof Demand, number>> = {};
  for (const [option, [field, unit]] of Object.entries(fields)) {
    const value = values[option];
    if (typeof value === "string") changes[field] = positive(option, value) * unit;
  }
  const demand = { ...usual, requestsPerDay: 0, ...changes };
  if (demand.utilization <= 0 || demand.utilization > 1) throw new UserError("--utilization must be 1 to 100.");
  if (demand.streamed > 1) throw new UserError("--streams must be 0 to 100.");
  if (demand.accounts < 1) throw new UserError("--accounts must be 1 or more.");
  return demand;
}

async function take(file: string): Promise<void> {
  const benchmark = benchmarkSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (!benchmark.success) throw new UserError(`${file} is not a file of npm run bench -- --json.`);
  const figures = figuresOf(benchmark.data, await readFigures());
  await writeFile(figuresFile, `${JSON.stringify(figures, undefined, 2)}\n`);
  print("Wrote infra/sizing.json. Update the handbook's table: npm run check -- --fix");
}

async function main(): Promise<number> {
  const text = { type: "string" } as const;
  const numbers: Record<string, typeof text> = Object.fromEntries(Object.keys(fields).map((name) => [name, text]));
  const parsed = parseArgs({ options: { ...numbers, from: text, help: { type: "boolean", short: "h" } } });
  const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values;
  if (typeof values["from"] === "string") {
    await take(values["from"]);
    return 0;
  }
  if (values["help"] === true || values["requests-per-day"] === undefined) {
    process.stdout.write(help);
    return values["help"] === true ? 0 : 1;
  }
  const demand = demandIn(values);
  const figures = await readFigures();
  const plan = planFor(figures, demand);
  const { at, machine } = figures;
  print(`Figures of ${at.slice(0, 10)}, ${machine.cores} x ${machine.cpu}:\n`);
  process.stdout.write(`${planRows([{ demand, plan }]).join("\n")}\n\n${stringify(valuesOf(plan, demand))}`);
  return 0;
}

process.exit(await main().catch(fail));
