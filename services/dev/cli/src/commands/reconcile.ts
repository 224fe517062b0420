// npm run reconcile: compares usage and cost of the running fleet with the providers' own reports.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { reconcileSchema } from "@uag/auditor/reconcile/config";
import { reconcile } from "@uag/auditor/reconcile/reconcile";
import { type Cell, costUnit, coverageOf, type DayResult, exitCodeOf } from "@uag/auditor/reconcile/result";
import { openReconciler, type Reconciler } from "@uag/auditor/reconcile/schedule";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { repoRoot } from "@uag/local/paths";
import { adminSettings } from "@uag/local/providers";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { keySettings } from "@uag/providers/reports/key-settings";
import type { DayRange } from "@uag/providers/reports/types";
import { readConfig } from "@uag/runtime/config";
import { usdText } from "@uag/runtime/usd";
import { dayAfter, dayOf, isDay } from "@uag/runtime/utc-days";
import { table } from "./table.ts";
import { needed, readTarget, type Target } from "./target.ts";

const help = `npm run reconcile [-- options]

Compares the gateway's usage and cost with the providers' own reports, by model, day (UTC) and unit. The auditor compares
the last seven days every day; this command compares now, and stores the result for the console.
  --provider <name>    ${Object.keys(keySettings).join(" or ")}; default: every provider with an admin key
  --from <day>         2027-01-31; default: --to
  --to <day>           the last day; default: yesterday
  --tolerance <n>      maximum difference in percent; default 0.5
  --strict             includes days whose report may still change
  --all                also lists figures that agree

Admin keys are ${Object.values(keySettings).join(" and ")}; the simulator needs none.
Exits with 2 if a figure differs by more than the tolerance, or with 3 if a day could not be compared.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  provider: text,
  from: text,
  to: text,
  tolerance: text,
  strict: flag,
  all: flag,
  help: { ...flag, short: "h" },
} as const;

/** @throws {UserError} for invalid days, or a range that ends before its start */
function rangeOf(from: string | undefined, to: string | undefined): DayRange {
  const last = to ?? dayAfter(dayOf(Date.now()), -1);
  const first = from ?? last;
  for (const day of [first, last]) if (!isDay(day)) throw new UserError(`"${day}" is not a day such as 2027-01-31.`);
  if (first > last) throw new UserError(`--from ${first} is after --to ${last}.`);
  return { first, last };
}

async function configOf({ run, mongodbUrl }: Target, tolerance: string | undefined) {
  const file = resolve(repoRoot, process.env["CATALOG_FILE"] || "infra/config/catalog.yaml");
  const providers = providerEnvironments(await readFile(file, "utf8"));
  const around = { env: process.env, simulated: run?.simulated ?? [], simulatorUrl: run?.simulator_url ?? "" };
  return readConfig(reconcileSchema, {
    ...process.env,
    ...adminSettings(providers, around),
    MONGODB_URL: needed(mongodbUrl, "MONGODB_URL"),
    MONGODB_DATABASE: "audit",
    ...(tolerance !== undefined && { RECONCILE_TOLERANCE_PERCENT: tolerance }),
  });
}

function reportsFor({ reports }: Reconciler, provider: string | undefined): Reconciler["reports"] {
  if (provider === undefined) {
    if (reports.size > 0) return reports;
    throw new UserError(`No admin key is set. Set ${Object.values(keySettings).join(" or ")}.`);
  }
  const found = reports.get(provider);
  if (found !== undefined) return new Map([[provider, found]]);
  const setting = (keySettings as Readonly<Record<string, string>>)[provider];
  if (setting !== undefined) throw new UserError(`${setting} is not set: an admin key of the organization is needed.`);
  throw new UserError(`${provider} publishes no reports: --provider must be ${Object.keys(keySettings).join(" or ")}.`);
}

const shown = (unit: string, quantity: bigint): string => (unit === costUnit ? usdText(quantity) : String(quantity));

function rowOf(provider: string, day: string, cell: Cell): string[] {
  const { model, unit, ours, theirs, state } = cell;
  const coverage = coverageOf(cell);
  const percent = coverage === null ? "-" : `${coverage / 100n}.${String(coverage % 100n).padStart(2, "0")} %`;
  const difference = ours === null || theirs === null ? "-" : shown(unit, ours - theirs);
  const name = unit === costUnit ? "USD" : unit;
  const figures = [
    ours === null ? "not counted" : shown(unit, ours),
    theirs === null ? "not reported" : shown(unit, theirs),
    difference,
    percent,
  ];
  return [provider, day, model || "(total)", name, ...figures, state.replace("_", " ")];
}

function show(results: readonly DayResult[], all: boolean): void {
  const rows = [["PROVIDER", "DAY", "MODEL", "UNIT", "OURS", "THEIRS", "DIFFERENCE", "COVERAGE", "STATE"]];
  for (const { provider, day, cells } of results)
    for (const cell of cells)
      if (all || cell.state === "drifts" || cell.model === "") rows.push(rowOf(provider, day, cell));
  if (rows.length > 1) print(table(rows));
  for (const { provider, day, state, settled, unreadable, requests, estimated } of results) {
    const open = settled ? "" : "; the report may still change";
    print(`${provider} ${day}: ${state}${open}; ${requests} requests, ${estimated} billed by estimate`);
    for (const why of unreadable) print(`  ${why}`);
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const days = rangeOf(values.from, values.to);
  const config = await configOf(await readTarget(), values.tolerance);
  await using stack = new AsyncDisposableStack();
  const reconciler = await openReconciler(config, process.env, stack);
  const results: DayResult[] = [];
  for (const [provider, reports] of reportsFor(reconciler, values.provider))
    results.push(...(await reconcile(reconciler, provider, reports, days)));
  show(results, values.all ?? false);
  return exitCodeOf(results.filter(({ settled }) => settled || values.strict));
}

process.exitCode = (await main().catch(fail)) ?? 1;
