/**
 * npm run bench -- --scenario accounts: the cost of a request as a function of the number of
 * accounts.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBooks } from "@uag/ledger/documents/connection";
import type { Fleet } from "@uag/local/service";
import type { Job, LoadMessage } from "../load.ts";
import type { JsonResult } from "../load-json.ts";
import { Samples } from "../percentiles.ts";
import { cpuBetween, type ProcessTable, readUsage } from "../proc.ts";
import { type Process, startLoad } from "../processes.ts";
import { Recorded } from "../recorded.ts";
import { formatNumber } from "../report.ts";
import { startUpstream, type Target } from "../targets.ts";
import { seedAccounts } from "./seed.ts";

export const connections = 32;
const seconds = 12;
const warmSeconds = 5;
/**
 * Up to this many accounts have their first request before the measurement; with more accounts,
 * only first requests are measured.
 */
const maxWarm = 20_000;
const maxFirstSeconds = 60;
/** Accounts that call once a minute. */
const minuteAccounts = 2_000;
const minuteSeconds = 60;
const measuredSeconds = 15;
const idleSeconds = 8;
const maxSettleMs = 300_000;
const measured = ["router", "chat", "billing", "metering", "mongod"] as const;
type Measured = (typeof measured)[number];

export interface Row {
  readonly title: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuUs: Readonly<Record<Measured, number>>;
  readonly settledAfter: number;
}

export interface Parts {
  readonly signal: AbortSignal;
  readonly load: Process;
  readonly endpoint: Target["endpoint"];
  readonly processes: ProcessTable;
  /** Number of requests that metering has applied. */
  readonly applied: () => Promise<number>;
}

async function runJob({ load, signal }: Parts, job: Job & { readonly seconds: number }): Promise<JsonResult> {
  load.send(job);
  return await load.next({
    timeoutMs: job.seconds * 2_000 + 60_000,
    signal,
    choose: (message) => {
      const reported = message as LoadMessage;
      if (reported.kind === "failed") throw new Error(reported.reason);
      return reported.kind === "json" ? reported.result : undefined;
    },
  });
}

export async function measureJob(parts: Parts, title: string, job: Job & { readonly seconds: number }): Promise<Row> {
  const { processes, applied, signal } = parts;
  const already = await applied();
  const before = readUsage(processes);
  const result = await runJob(parts, job);
  const respondedAt = performance.now();
  while ((await applied()) < already + result.requests) {
    if (performance.now() - respondedAt > maxSettleMs) throw new Error("not all requests were settled");
    await sleep(50, undefined, { signal });
  }
  const settledAfter = (performance.now() - respondedAt) / 1_000;
  const used = cpuBetween(before, readUsage(processes));
  const latency = new Samples();
  latency.addAll(result.latencyMs);
  const cpuUs = Object.fromEntries(measured.map((name) => [name, (sumOf(used, name) * 1e6) / result.requests]));
  const perSecond = result.inTime / result.seconds;
  const row = { title, perSecond, p50: latency.percentile(50), p99: latency.percentile(99), settledAfter };
  return { ...row, cpuUs: cpuUs as Row["cpuUs"] };
}

/** Further replicas are `name-2`, `name-3` and so on. */
function sumOf(used: ReadonlyMap<string, number>, name: string): number {
  let sum = 0;
  for (const [process, value] of used) if (process === name || process.startsWith(`${name}-`)) sum += value;
  return sum;
}

/**
 * Measures accounts that were seen recently and call once a minute; the fleet's idle usage is
 * subtracted.
 */
async function measureMinute(parts: Parts, keys: readonly string[]): Promise<Row[]> {
  const perSecond = keys.length / minuteSeconds;
  const job = { kind: "rate", endpoint: parts.endpoint, keys, perSecond } as const;
  const idle = await idleCpu(parts);
  const withoutIdle = (row: Row): Row => {
    const idleUs = (name: Measured): number => (sumOf(idle, name) * 1e6) / idleSeconds / perSecond;
    const cpuUs = Object.fromEntries(measured.map((name) => [name, Math.max(0, row.cpuUs[name] - idleUs(name))]));
    return { ...row, cpuUs: cpuUs as Row["cpuUs"] };
  };
  const measuring = { ...job, seconds: measuredSeconds };
  const many = await measureJob(parts, `${keys.length}, each once per minute`, measuring);
  const one = await measureJob(parts, "1, at their total rate", { ...measuring, keys: keys.slice(0, 1) });
  return [one, many].map(withoutIdle);
}

async function idleCpu(parts: Parts): Promise<ReadonlyMap<string, number>> {
  const before = readUsage(parts.processes);
  await sleep(idleSeconds * 1_000, undefined, { signal: parts.signal });
  return cpuBetween(before, readUsage(parts.processes));
}

const moneyUs = ({ cpuUs }: Row): number => cpuUs.billing + cpuUs.metering + cpuUs.mongod;

/** A table of the rows, with their ratios to the first. */
export function render(rows: readonly Row[], { of, first }: { readonly of: string; readonly first: string }): string {
  const [one] = rows;
  const lines = rows.map((row) => [
    row.title,
    formatNumber(row.perSecond),
    `${formatNumber(row.p50)} / ${formatNumber(row.p99)}`,
    measured.map((name) => Math.round(row.cpuUs[name])).join(" / "),
    `${row.settledAfter.toFixed(1)} s`,
    one === undefined ? "" : (row.perSecond / one.perSecond).toFixed(2),
    one === undefined ? "" : (moneyUs(row) / moneyUs(one)).toFixed(2),
  ]);
  const head = [
    of,
    "requests/s",
    "p50 / p99 ms",
    `CPU us per request: ${measured.join(" / ")}`,
    "settled after",
    `requests/s to ${first}`,
    "billing + metering + mongod to its",
  ];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

async function startGateway(stack: AsyncDisposableStack, upstream: Target, processes: number): Promise<Fleet> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-accounts-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { host, port, basePath, key } = upstream.endpoint;
  const fleet = await import("@uag/local/service");
  return stack.use(
    await fleet.startFleet({
      dataDir,
      services: ["router", "chat", "billing", "metering"],
      replicas: { billing: processes, metering: processes },
      env: { OPENAI_BASE_URL: `http://${host}:${port}${basePath}`, OPENAI_API_KEY: key },
    }),
  );
}

/** A fleet whose processes are measured, with what seeds its database. */
export interface MeasuredFleet extends Parts {
  readonly seeds: { readonly mongodbUrl: string; readonly pepper: string };
  /** Compares the ledger with the responses. @throws an Error if it is not exact */
  readonly check: () => Promise<string | undefined>;
}

/** @param processes the number of billing and of metering processes */
export async function startMeasured(
  stack: AsyncDisposableStack,
  processCount: number,
  signal: AbortSignal,
): Promise<MeasuredFleet> {
  const started = {
    seconds,
    scenarios: [],
    model: "gpt-4o-mini",
    json: undefined,
    upstreamPort: 0,
    running: undefined,
  };
  const ofUpstream = { ...started, accounts: undefined, routing: false, budgets: false, fleet: true, single: false };
  const upstream = await startUpstream({ stack, signal, options: ofUpstream, env: {} });
  const { run, dataDir } = await startGateway(stack, upstream, processCount);
  const { loadSecrets } = await import("@uag/local/secrets");
  const { operatorIdentity } = await import("@uag/local/operator");
  const connection = await connectBooks({ url: run.mongodb_url, database: "metering" });
  stack.defer(() => connection.close());
  const load = await startLoad(stack, signal);
  const url = new URL(run.base_url);
  const endpoint = {
    host: url.hostname,
    port: Number(url.port),
    basePath: "/v1",
    key: run.api_key,
    model: "gpt-4o-mini",
  };
  const processes = new Map(Object.entries(run.pids));
  // The events are stored in one collection per month.
  const applied = async (): Promise<number> => {
    const collections = await connection.listCollections();
    const months = collections.filter(({ name }) => name.startsWith("events"));
    const counts = months.map(({ name }) => connection.collection(name).estimatedDocumentCount());
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const billing = { address: run.grpc["billing"]?.split(",", 1)[0] ?? "", identity: operatorIdentity(run) };
  const recorded = await Recorded.open({ name: "gateway", endpoint, processes, billing });
  if (recorded !== undefined) stack.use(recorded);
  const { key_pepper: pepper } = await loadSecrets(dataDir);
  return {
    signal,
    load,
    endpoint,
    processes,
    applied,
    seeds: { mongodbUrl: run.mongodb_url, pepper },
    check: async () => await recorded?.check({ served: await applied(), withinMs: 60_000, signal }),
  };
}

async function measureFleet(
  options: { readonly counts: readonly number[]; readonly processes: number },
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const parts = await startMeasured(stack, options.processes, signal);
  const { endpoint, seeds } = parts;
  const max = Math.max(...options.counts, minuteAccounts);
  process.stderr.write(`making ${max} accounts\n`);
  const secrets = await seedAccounts({ ...seeds, count: max });
  const closed = { kind: "closed", endpoint, connections } as const;
  // Uses keys that are not measured, so that code is warm but grants are not. Its usage is settled
  // before the first row starts, whose end would otherwise be detected too early.
  await measureJob(parts, "warm", { ...closed, seconds: warmSeconds });
  const rows: Row[] = [];
  const minute: Row[] = [];
  for (const count of options.counts) {
    process.stderr.write(`measuring ${count} accounts\n`);
    const job = { ...closed, keys: secrets.slice(0, count) };
    const first = { ...job, seconds: maxFirstSeconds, requests: count };
    if (count > connections && count <= maxWarm) rows.push(await measureJob(parts, `${count}, first requests`, first));
    rows.push(await measureJob(parts, count > maxWarm ? `${count}, first requests` : `${count}`, { ...job, seconds }));
    if (count === minuteAccounts) minute.push(...(await measureMinute(parts, job.keys)));
  }
  const reported = await parts.check();
  const names = { of: "accounts", first: "one account's" };
  const title = `billing and metering: ${options.processes} each; ${connections} connections, small completions`;
  return `${title}\n\n${render(rows, names)}\n${minute.length > 0 ? `\n${render(minute, names)}\n` : ""}\n${reported}\n`;
}

/** Prints a table for each number of processes. Throws if the ledger is not exact at the end. */
export async function benchAccounts(
  options: { readonly counts: readonly number[]; readonly replicas: readonly number[] },
  signal: AbortSignal,
): Promise<void> {
  for (const processes of options.replicas) {
    process.stdout.write(`${await measureFleet({ counts: options.counts, processes }, signal)}\n`);
  }
}
