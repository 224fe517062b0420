/** npm run bench: the fleet beside a bare proxy, in one run, every answer checked. */
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import type { LoadMessage } from "./load.ts";
import { type BenchOptions, help, readOptions } from "./options.ts";
import { Process } from "./processes.ts";
import { renderTable, rowsOf } from "./report.ts";
import { runScenario, type ScenarioResult, warmUp } from "./scenarios.ts";
import { findRunning, type Started, startBaseline, startUpstream, type Target } from "./targets.ts";

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function startTargets(started: Started): Promise<Target[]> {
  const direct = await startUpstream(started);
  const baseline = await startBaseline(started, direct);
  const gateway = await findRunning(started.options);
  return gateway === undefined ? [direct, baseline] : [direct, baseline, gateway];
}

async function bench(options: BenchOptions, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const targets = await startTargets({ stack, signal, options });
  const load = stack.use(Process.start({ name: "load" }));
  await load.next({
    choose: (message) => ((message as LoadMessage).kind === "ready" ? true : undefined),
    timeoutMs: 10_000,
    signal,
  });
  say("warming up");
  await warmUp({ load, signal }, targets);
  const results: ScenarioResult[] = [];
  for (const name of options.scenarios) {
    say(`measuring: ${name}`);
    results.push(await runScenario({ load, signal }, { name, targets, options }));
  }
  const rows = results.flatMap(rowsOf);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  process.stdout.write(`${machine.cores} x ${machine.cpu}, Node ${machine.node}\n\n${renderTable(rows)}\n`);
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ at: new Date(), machine, rows }, undefined, 2)}\n`);
  }
}

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  process.stdout.write(help);
} else {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => interrupted.abort(new Error(`stopped by ${signal}`)));
  }
  await bench(options, interrupted.signal);
}
