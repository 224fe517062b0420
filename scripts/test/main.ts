// npm test: all tests and then all checks, or the selected ones.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildConsole } from "@uag/local/console-web";
import { repoRoot as root } from "@uag/local/paths";
import { fail } from "@uag/local/terminal/step";
import { buildTools } from "../charts/tools.ts";
import { startTestEngines } from "./engines.ts";
import { type Failure, parseFailures } from "./failures-reporter.ts";
import { findTests, kindOf, type TestKind, testKinds } from "./files.ts";
import { filesToRunAgain } from "./second-run.ts";

const help = `npm test [-- [--all] [--unit] [--contract] [--e2e] [--long] [pattern ...]]

Runs the unit, contract and end-to-end tests and then every check. With --all the long tests too: every chart and image,
every page in every role, the largest bodies, rollouts, limits over replicas, videos under kills, a simulation of a
million steps. With a kind or a pattern (a part of a file's path): only those tests, no checks.

Files with failed tests run a second time, alone: tests that then pass are listed as flaky and do not fail the run. A
failure about the ledger always fails it.
`;

interface TestGroup {
  readonly title: string;
  readonly kinds: readonly TestKind[];
  readonly concurrency: number;
  readonly timeoutMs: number;
}

// End-to-end tests mostly wait for a whole fleet, so that two cores can run two at once.
const groups: readonly TestGroup[] = [
  { title: "Unit and contract tests", kinds: ["unit", "contract"], concurrency: 2, timeoutMs: 300_000 },
  { title: "End-to-end tests", kinds: ["e2e"], concurrency: 2, timeoutMs: 600_000 },
  { title: "Long tests", kinds: ["long"], concurrency: 2, timeoutMs: 900_000 },
];

/** Files that use the console's pages, which are built once for all of them. */
const showsConsole = /(?:console(?:-\w+)?|npm-start)(?:\.shared)?\.(?:e2e|long)\.test\.ts$/;
/** Files whose tests use a fleet together with other files: see `openSharedFleet`. */
const sharesFleet = /\.shared\.e2e\.test\.ts$/;

const report = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs Node with this process's terminal; returns whether it succeeded. */
async function runNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean> {
  const { PARENT_PIPE_FD: _, ...inherited } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env: { ...inherited, ...env }, stdio: "inherit" });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const [code] = (await once(child, "exit")) as [number | null];
  process.off("SIGINT", forward).off("SIGTERM", forward);
  return code === 0;
}

/** Both reporters of a run: one for the terminal, and one for a file with only the failures. */
function reportersTo(failures: string): string[] {
  return [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${join(import.meta.dirname, "failures-reporter.ts")}`,
    `--test-reporter-destination=${failures}`,
  ];
}

/**
 * Replaces the files that share a fleet by files in `dir` that import them, which makes each a
 * process: one for the console and one for the rest, so that they run beside each other.
 */
async function joinShared(files: readonly string[], dir: string): Promise<string[]> {
  const groups = Map.groupBy(files, (file) => {
    if (!sharesFleet.test(file)) return "own";
    return showsConsole.test(file) ? "console" : "clients";
  });
  const { own = [], ...shared } = Object.fromEntries(groups);
  for (const [name, imported] of Object.entries(shared)) {
    const lines = imported.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)))};\n`);
    const joined = join(dir, `${name}.shared.e2e.test.mjs`);
    await writeFile(joined, lines.join(""));
    own.push(joined);
  }
  return own;
}

/** Runs the files of one group. */
async function runGroup(
  { title, concurrency, timeoutMs }: TestGroup,
  files: readonly string[],
  { dir, env }: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
): Promise<Failure[]> {
  const report = join(dir, title);
  const flags = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`];
  const ok = await runNode(["--test", ...flags, ...reportersTo(report), ...(await joinShared(files, dir))], env);
  if (ok) return [];
  const failures = parseFailures(await readFile(report, "utf8"));
  return failures.length > 0 ? failures : [{ message: `${title} failed`, text: `${title} failed\n\n` }];
}

interface Outcome {
  readonly failures: readonly Failure[];
  /** Failures of tests that passed when their file ran again, alone. */
  readonly flaky: readonly Failure[];
}

async function runTests(files: readonly string[]): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "test-run-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  // Downloads the engines before any test's timeout starts, because end-to-end tests start their own.
  await using engines = files.some((file) => kindOf(file) !== "unit") ? await startTestEngines() : undefined;
  const place = { dir, env: engines?.env ?? {} };
  if (files.some((file) => file.startsWith("scripts/charts/"))) await buildTools();
  if (files.some((file) => showsConsole.test(file))) await buildConsole({ report });
  const failures: Failure[] = [];
  for (const group of groups) {
    const ofGroup = files.filter((file) => group.kinds.includes(kindOf(file)));
    if (ofGroup.length === 0) continue;
    process.stdout.write(`\n${group.title}: ${ofGroup.length} files\n`);
    failures.push(...(await runGroup(group, ofGroup, place)));
  }
  const again = filesToRunAgain(failures);
  if (again.length === 0) return { failures, flaky: [] };
  process.stdout.write(`\nFailed files, a second time: ${again.join(", ")}\n`);
  const alone = { title: "Second run", kinds: testKinds, concurrency: 1, timeoutMs: 600_000 };
  const second = await runGroup(alone, again, place);
  return second.length > 0 ? { failures: [...failures, ...second], flaky: [] } : { failures: [], flaky: failures };
}

async function main(): Promise<boolean> {
  const flag = { type: "boolean" } as const;
  const options = {
    all: flag,
    unit: flag,
    contract: flag,
    e2e: flag,
    long: flag,
    help: { ...flag, short: "h" },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(help);
    return true;
  }
  const requested = new Set(testKinds.filter((kind) => values.all || values[kind]));
  const files = await findTests(root, { kinds: requested, patterns: positionals });
  if (files.length === 0) throw new Error(`no test file matches ${positionals.join(" ")}`);
  const { failures, flaky } = await runTests(files);
  const checksToo = (requested.size === 0 || values.all === true) && positionals.length === 0;
  if (checksToo) process.stdout.write("\nChecks\n");
  const checked = !checksToo || (await runNode(["scripts/check.ts"], {}));
  // Repeats the failures at the end, after thousands of lines.
  const texts = (of: readonly Failure[]): string => of.map(({ text }) => text).join("");
  if (flaky.length > 0) process.stdout.write(`\nFlaky tests: failed, and passed when run again alone\n${texts(flaky)}`);
  if (failures.length > 0) process.stdout.write(`\nFailed tests\n${texts(failures)}`);
  return checked && failures.length === 0;
}

process.exit((await main().catch(fail)) ? 0 : 1);
