import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type WebhookServiceServer, WebhookServiceService } from "@uag/proto/video/v1/webhooks.ts";
import type { TestClient } from "../testing/client.ts";
import { waitFor } from "../testing/wait-for.ts";
import { startTestFleet, type TestFleet } from "../testing/with-fleet.ts";
import { keepKilling, seeded } from "./kills.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

export interface VideoSoakOptions {
  readonly tasks: number;
  readonly seed: number;
  /** Processes that are killed. */
  readonly kill: readonly string[];
  readonly killEveryMs: number;
  readonly dataDir: string;
  readonly replicas: number;
  /** Submissions under way at once. */
  readonly concurrency: number;
}

export interface VideoSoakReport {
  readonly tasks: number;
  readonly kills: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Ledger rows of tasks with a cost. */
  readonly charged: number;
  readonly webhooks: { readonly tasks: number; readonly arrivals: number; readonly unverified: number };
  /** Milliseconds, of the submissions that were answered at the first try. */
  readonly submitMs: { readonly p50: number; readonly p99: number };
  readonly seconds: number;
  /** One sentence for each promise that was not kept. */
  readonly violations: readonly string[];
}

interface Task {
  readonly id: string;
  readonly status: string;
  readonly model: string;
}

const path = "/v1/videos/generations";

/** How the simulator's tasks end: most of them well. */
const fates: readonly (readonly [fault: string, probability: number])[] = [
  ["task-fail", 0.1],
  ["task-cancelled", 0.04],
  ["task-unknown", 0.03],
  ["task-stuck", 0.03],
];

const bodies: readonly ((n: number) => Record<string, unknown>)[] = [
  (n) => ({ model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: `a boat, take ${n}` } }),
  (n) => ({ model: "beta2.7-t2v", duration: 4, input: { prompt: `a tree, take ${n}` } }),
  (n) => ({ model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: `a bird, take ${n}` }] }),
  (n) => ({ model: "grok-imagine-video", duration: 3, resolution: "480p", prompt: `a lamp, take ${n}` }),
];

/**
 * Submits tasks with webhooks while processes are killed with SIGKILL, and checks afterwards that every task has ended, was
 * charged as its end says and told of under one id, and that the books are exact.
 */
export async function soakVideo(options: VideoSoakOptions): Promise<VideoSoakReport> {
  const began = performance.now();
  await using receiver = await startReceiver({ refuseEvery: 20 });
  await using fleet = await startTestFleet({
    dataDir: options.dataDir,
    services: ["billing", "metering", "video", "router"],
    replicas: { video: options.replicas },
    egressAllow: receiver.address,
    env: { SIM_TASK_MS: "3000", TASK_AGE_LIMIT_MS: "25000", WEBHOOK_SCALE: "0.02", LOG_LEVEL: "warn" },
  });
  receiver.secret = await rotate(fleet);
  await topUp(fleet, options.tasks);
  await setFates(fleet, options.seed);
  const stop = new AbortController();
  const { kill: names, killEveryMs: everyMs, seed } = options;
  const killing = keepKilling(fleet, { names, everyMs, random: seeded(seed), signal: stop.signal });
  const submitMs: number[] = [];
  const told = await submitAll(fleet.client, { ...options, url: receiver.url, submitMs });
  await allEnded(fleet.client, told.length);
  stop.abort();
  const kills = await killing;
  const tasks = await listAll(fleet.client);
  await webhooksArrived(receiver, tasks);
  const checked = await check(fleet, { tasks, told, receiver });
  const seconds = Math.round((performance.now() - began) / 1_000);
  return {
    ...checked,
    kills,
    tasks: tasks.length,
    seconds,
    submitMs: { p50: at(submitMs, 0.5), p99: at(submitMs, 0.99) },
  };
}

async function rotate(fleet: TestFleet): Promise<string> {
  const address = fleet.run.grpc["video"]?.split(",")[0] ?? "";
  using webhooks = createRpcClient<WebhookServiceServer>(WebhookServiceService, address);
  const { account_id: accountId } = fleet.run;
  return (await webhooks.rotateSecret({ accountId, overlapMs: 0n, immediately: true, actor: undefined })).secret;
}

/** Enough for every task, so that none is refused. */
async function topUp({ run }: TestFleet, tasks: number): Promise<void> {
  using accounts = createRpcClient<AccountServiceServer>(AccountServiceService, run.grpc["billing"] ?? "");
  const amountNanoUsd = BigInt(tasks) * 1_000_000_000n;
  await accounts.topUp({ accountId: run.account_id, amountNanoUsd, reference: "soak", note: "Soak" });
}

async function setFates(fleet: TestFleet, seed: number): Promise<void> {
  for (const [fault, probability] of fates) {
    for (const model of ["wan*", "seedance*", "grok*"]) {
      const rule = { match: { model, probability, seed: `${seed} ${fault} ${model}` }, faults: { [fault]: true } };
      const response = await fetch(`${fleet.run.simulator_url}/sim/faults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(rule),
      });
      if (!response.ok) throw new Error(`the simulator refused a rule: ${await response.text()}`);
    }
  }
}

async function submitAll(
  client: TestClient,
  options: VideoSoakOptions & { url: string; submitMs: number[] },
): Promise<string[]> {
  const told: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < options.tasks) {
      const n = next++;
      const body = { ...(bodies[n % bodies.length] as (n: number) => object)(n), webhook_url: options.url };
      told.push(await submitUntilTaken(client, body, { key: `soak-${options.seed}-${n}`, submitMs: options.submitMs }));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return told;
}

/** As an SDK does: again under the same key, until there is an answer. */
async function submitUntilTaken(
  client: TestClient,
  body: unknown,
  { key, submitMs }: { key: string; submitMs: number[] },
): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    const began = performance.now();
    try {
      const response = await client.post(path, body, { headers: { "idempotency-key": key } });
      if (response.status === 202) {
        if (tries === 0) submitMs.push(performance.now() - began);
        return response.json<Task>().id;
      }
      if (response.status < 500 && response.status !== 409 && response.status !== 429)
        throw new Error(`a submission was answered ${response.status}: ${response.text}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(200);
  }
  throw new Error("a submission was never taken");
}

async function listAll(client: TestClient): Promise<Task[]> {
  const tasks: Task[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${cursor}`;
    const response = await client.get(`${path}?limit=100${query}`);
    if (response.status !== 200) {
      await sleep(200);
      continue;
    }
    const page = response.json<{ data: Task[]; next_cursor: string | null }>();
    tasks.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null || tasks.length === 0);
  return tasks;
}

const live = ["submitted", "queued", "running"];

async function allEnded(client: TestClient, count: number): Promise<void> {
  const noneLeft = async (): Promise<boolean> => {
    for (const status of live) {
      const response = await client.get(`${path}?limit=1&status=${status}`).catch(() => undefined);
      if (response?.status !== 200 || response.json<{ data: Task[] }>().data.length > 0) return false;
    }
    return true;
  };
  await waitFor(noneLeft, { timeoutMs: 180_000 + count * 500, everyMs: 500, what: "the end of every task" });
}

async function webhooksArrived(receiver: Receiver, tasks: readonly Task[]): Promise<void> {
  const all = (): boolean => new Set(receiver.received.map(({ task }) => task.id)).size >= tasks.length;
  await waitFor(all, { timeoutMs: 120_000, everyMs: 200, what: "a webhook for every task" }).catch(() => undefined);
}

async function check(
  fleet: TestFleet,
  { tasks, told, receiver }: { tasks: readonly Task[]; told: readonly string[]; receiver: Receiver },
): Promise<Pick<VideoSoakReport, "byStatus" | "charged" | "webhooks" | "violations">> {
  const violations: string[] = [];
  const byId = new Map(tasks.map((task) => [task.id, task]));
  if (new Set(told).size !== told.length) violations.push("One task was told to two submissions.");
  for (const id of told) if (!byId.has(id)) violations.push(`Task ${id} was told and is lost.`);
  if (tasks.length !== told.length) violations.push(`${told.length} submissions made ${tasks.length} tasks.`);
  const report = await fleet.audit(60_000);
  violations.push(...report.violations);
  const charged = report.books.billed.filter(({ costNanoUsd }) => costNanoUsd > 0n).length;
  const byStatus: Record<string, number> = {};
  for (const { status } of tasks) byStatus[status] = (byStatus[status] ?? 0) + 1;
  if (charged !== (byStatus["succeeded"] ?? 0))
    violations.push(`${byStatus["succeeded"]} tasks succeeded and ${charged} were charged.`);
  // There may be more: of submissions that were answered with an error, which cost nothing.
  if (report.books.billed.length < tasks.length)
    violations.push(`${tasks.length} tasks have ${report.books.billed.length} bills.`);
  const held = report.books.accounts.reduce((sum, { heldNanoUsd }) => sum + heldNanoUsd, 0n);
  if (held !== 0n) violations.push(`${held} nano-USD are still held.`);
  violations.push(...webhookViolations(byId, receiver));
  const unverified = receiver.received.filter(({ verified }) => !verified).length;
  const ids = new Set(receiver.received.map(({ task }) => task.id));
  return {
    byStatus,
    charged,
    violations,
    webhooks: { tasks: ids.size, arrivals: receiver.received.length, unverified },
  };
}

function webhookViolations(tasks: ReadonlyMap<string, Task>, receiver: Receiver): string[] {
  const violations: string[] = [];
  const byTask = Map.groupBy(receiver.received, ({ task }) => task.id);
  for (const [id, { status }] of tasks) {
    const arrived = byTask.get(id) ?? [];
    if (arrived.length === 0) violations.push(`No webhook told of task ${id}.`);
    if (new Set(arrived.map((one) => one.id)).size > 1) violations.push(`Task ${id} was told of under two ids.`);
    if (arrived.some(({ type }) => type !== `video.generation.${status}`))
      violations.push(`A webhook told something else of task ${id} than ${status}.`);
  }
  for (const { id, verified } of receiver.received) if (!verified) violations.push(`Webhook ${id} does not verify.`);
  return violations;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
