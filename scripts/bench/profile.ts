/**
 * Profiles processor time: runs one scenario of the benchmark with V8's sampling profiler in every
 * Node process of the gateway, and prints the functions, files and packages with the most self
 * time. Start-up and warm-up are excluded.
 */
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CpuProfile, type SelfTime, summarizeProfile } from "./cpuprofile.ts";
import { type Bench, measure, type Run } from "./measure.ts";
import { readOptions, scenarioNames } from "./options.ts";
import { startLoad } from "./processes.ts";
import { runProgram } from "./program.ts";
import { formatNumber } from "./report.ts";
import { monotonicUs } from "./responses.ts";
import { scenarios, warmUp } from "./scenarios.ts";
import { startBaseline, startFleet, startUpstream, type Target } from "./targets.ts";

const help = `node scripts/run.mjs scripts/bench/profile.ts [options]

  --scenario <name>   ${scenarioNames.join(", ")} (default json)
  --seconds <n>       length of a JSON run (default 6)
  --of <what>         gateway or baseline (default gateway)
  --process <name>    only this process; may be repeated (default router and chat; "all" for every one)
  --top <n>           number of functions and files to print (default 25)
  --out <folder>      folder for the .cpuprofile files, which Chrome's developer tools open (default: a new temporary one)
`;

const { values } = parseArgs({
  options: {
    scenario: { type: "string", default: "json" },
    seconds: { type: "string", default: "6" },
    of: { type: "string", default: "gateway" },
    process: { type: "string", multiple: true, default: ["router", "chat", "proxy"] },
    top: { type: "string", default: "25" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

interface Profiled {
  readonly target: Target;
  readonly run: Run;
  readonly window: { readonly fromUs: number; readonly toUs: number };
}

/**
 * Runs the scenario once. The processes write their profiles when they end, which is when this
 * returns.
 */
async function runProfiled(folder: string, signal: AbortSignal): Promise<Profiled> {
  const options = readOptions(["--scenario", values.scenario, "--seconds", values.seconds]);
  const name = options?.scenarios[0];
  if (options === undefined || name === undefined) throw new Error("no scenario");
  await using stack = new AsyncDisposableStack();
  const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=400 --cpu-prof-dir=${folder}` };
  const started = { stack, signal, options, env };
  const direct = await startUpstream(started);
  const target = values.of === "baseline" ? await startBaseline(started, direct) : await startFleet(started, direct);
  const bench: Bench = { load: await startLoad(stack, signal), signal, served: new Map() };
  await warmUp(bench, [target]);
  const fromUs = monotonicUs();
  const run = await measure(bench, target, scenarios[name].job(target, options));
  return { target, run, window: { fromUs, toUs: monotonicUs() } };
}

function printRanking(
  title: string,
  ranking: readonly SelfTime[],
  per: { readonly units: number; readonly busyUs: number },
) {
  process.stdout.write(`\n  ${title}\n`);
  for (const { name, us } of ranking.slice(0, Number(values.top))) {
    const share = `${formatNumber((us * 100) / per.busyUs)} %`;
    process.stdout.write(`  ${formatNumber(us / per.units).padStart(9)} us ${share.padStart(8)}  ${name}\n`);
  }
}

async function printProfiles(folder: string, { target, run, window }: Profiled): Promise<void> {
  const names = new Map([...target.processes].map(([name, pid]) => [String(pid), name]));
  const wanted = new Set(values.process);
  const units = run.streams?.chunks ?? run.json?.requests ?? 0;
  const unit = run.streams === undefined ? "request" : "chunk";
  for (const file of await readdir(folder)) {
    // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
    const name = names.get(file.split(".")[3] ?? "");
    if (name === undefined || !(wanted.has(name) || wanted.has("all"))) continue;
    const profile = JSON.parse(await readFile(join(folder, file), "utf8")) as CpuProfile;
    const summary = summarizeProfile(profile, window);
    const per = { units, busyUs: summary.busyUs };
    process.stdout.write(
      `\n${name}: ${formatNumber(summary.busyUs / units)} us a ${unit} (${units} ${unit}s), ${file}\n`,
    );
    printRanking("by package", summary.packages, per);
    printRanking("by file", summary.files, per);
    printRanking("by function", summary.functions, per);
  }
}

await runProgram(async (signal) => {
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const folder = values.out ?? (await mkdtemp(join(tmpdir(), "bench-profile-")));
  await printProfiles(folder, await runProfiled(folder, signal));
  process.stdout.write(`\nprofiles: ${folder}\n`);
});
