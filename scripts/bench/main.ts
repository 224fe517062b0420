/** npm run bench: compares the fleet with a bare proxy in one run, and checks every response. */
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { benchAccounts } from "./accounts/bench.ts";
import { benchBudgets } from "./accounts/budgets.ts";
import { logEnds } from "./logs.ts";
import type { Bench } from "./measure.ts";
import { type BenchOptions, help, readOptions } from "./options.ts";
import { OtherPrograms } from "./proc.ts";
import { startLoad } from "./processes.ts";
import { runProgram } from "./program.ts";
import { Recorded } from "./recorded.ts";
import { formatNumber, renderTable, rowsOf } from "./report.ts";
import { benchRouting } from "./routing.ts";
import { runScenario, type ScenarioResult, warmUp } from "./scenarios.ts";
import { findRunning, type Started, startBaseline, startFleet, startUpstream, type Target } from "./targets.ts";

/** Maximum time after the last response for the ledger to catch up. */
const settleMs = 30_000;

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function startTargets(started: Started): Promise<Target[]> {
  const direct = await startUpstream(started);
  const baseline = await startBaseline(started, direct);
  const { fleet } = started.options;
  const gateway = fleet ? await startFleet(started, direct) : await findRunning(started.options);
  return gateway === undefined ? [direct, baseline] : [direct, baseline, gateway];
}

async function bench(options: BenchOptions, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const targets = await startTargets({ stack, signal, options, env: {} });
  const run: Bench = { load: await startLoad(stack, signal), signal, served: new Map() };
  try {
    await measureAll(run, { targets, options });
  } catch (error) {
    const logDir = targets.find(({ name }) => name === "gateway")?.logDir;
    if (logDir !== undefined && !signal.aborted) print(`${await logEnds(logDir)}\n`);
    throw error;
  }
}

async function measureAll(
  run: Bench,
  { targets, options }: { readonly targets: readonly Target[]; readonly options: BenchOptions },
): Promise<void> {
  const gateway = targets.find(({ name }) => name === "gateway");
  using recorded = gateway && (await Recorded.open(gateway));
  const own = new Map([...(gateway?.processes ?? []), ["benchmark", process.pid] as const]);
  const otherPrograms = new OtherPrograms({ own, cores: cpus().length });
  print("warming up");
  await warmUp(run, targets);
  const results: ScenarioResult[] = [];
  for (const name of options.scenarios) {
    print(`measuring: ${name}`);
    results.push(await runScenario(run, { name, targets, options }));
  }
  const rows = results.flatMap(rowsOf);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, others: otherPrograms.share() };
  process.stdout.write(
    `${machine.cores} x ${machine.cpu}, Node ${machine.node}; ` +
      `other programs used ${formatNumber(machine.others * 100)} % of the machine's processor time meanwhile\n\n${renderTable(rows)}\n`,
  );
  const served = run.served.get("gateway") ?? 0;
  const record = await recorded?.check({ served, withinMs: settleMs, signal: run.signal });
  if (record !== undefined) process.stdout.write(`\n${record}\n`);
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ at: new Date(), machine, rows, record }, undefined, 2)}\n`);
  }
}

await runProgram(async (signal) => {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(help);
  else if (options.accounts !== undefined) await benchAccounts(options.accounts, signal);
  else if (options.budgets) process.stdout.write(await benchBudgets(signal));
  else if (options.routing) process.stdout.write(await benchRouting(signal));
  else await bench(options, signal);
});
