import { setTimeout as sleep } from "node:timers/promises";
import { type BatchFindings, checkBatch, resultsIn } from "@uag/harness/fleet/batch-check";
import { type LimitedKey, newAccount } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededInt, seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { killPeriodically } from "./kills.ts";

export interface BatchSoakOptions {
  readonly lines: number;
  readonly batches: number;
  readonly seed: number;
  /** Processes to kill at random. */
  readonly kill: readonly string[];
  readonly killEveryMs: number;
  /** Longest time for the batches to end. */
  readonly maxMs: number;
  readonly dataDir: string;
  readonly report?: (line: string) => void;
}

export interface BatchSoakReport extends BatchFindings {
  readonly lines: number;
  readonly kills: number;
  /** Number of restarts by process. */
  readonly restarts: Readonly<Record<string, number>>;
  readonly seconds: number;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly request_counts: { readonly completed: number; readonly failed: number };
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
}

interface Running {
  readonly key: LimitedKey;
  readonly ids: readonly string[];
  batch: Batch;
}

const services = ["billing", "metering", "chat", "embedding", "media", "router"];
const settings = { BATCH_CONCURRENCY: "8", LOG_LEVEL: "warn", ACK_WAIT_MS: "1500" };
const accountNanoUsd = 100_000_000_000n;
const endpoint = "/v1/chat/completions";
const progressMs = 10_000;
const unfinished = new Set(["validating", "in_progress", "finalizing", "cancelling"]);

/** Runs batches while processes are killed, until all have ended, and compares results and bills line by line. */
export async function soakBatches(options: BatchSoakOptions): Promise<BatchSoakReport> {
  const { dataDir, lines, batches, seed, kill, killEveryMs } = options;
  const replicas = { chat: 2, media: 2 };
  await using fleet = await startTestFleet({ dataDir, services, replicas, env: settings });
  const startedAt = performance.now();
  const random = seededInt(seed);
  const counts = Array.from({ length: batches }, (_, n) => Math.floor(lines / batches) + (n < lines % batches ? 1 : 0));
  const running: Running[] = [];
  for (const count of counts) running.push(await create(fleet, count, random));
  const stop = new AbortController();
  const { signal } = stop;
  const killing = killPeriodically(fleet, { names: kill, everyMs: killEveryMs, random: seededRandom(seed), signal });
  try {
    await allEnded(running, options);
  } finally {
    stop.abort();
    await killing;
  }
  await Promise.all(kill.map((name) => fleet.processes.ready(name)));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const restarts = Object.fromEntries(kill.map((name) => [name, fleet.processes.restarts(name)]));
  return { lines, kills: await killing, restarts, seconds, ...(await findings(fleet, running)) };
}

async function create(fleet: TestFleet, count: number, random: (below: number) => number): Promise<Running> {
  const key = await newAccount(fleet, accountNanoUsd);
  const ids = Array.from({ length: count }, (_, n) => `line-${n}`);
  const lines = ids.map((customId) => {
    const messages = [{ role: "user", content: `${customId} ${"word ".repeat(random(40))}` }];
    const body = { model: "gpt-4o-mini", messages, max_tokens: 1 + random(30) };
    return JSON.stringify({ custom_id: customId, method: "POST", url: endpoint, body });
  });
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([lines.join("\n")]), "lines.jsonl");
  const headers = { authorization: `Bearer ${key.secret}` };
  const uploaded = await fetch(`${fleet.run.base_url}/v1/files`, { method: "POST", headers, body: form });
  const { id: inputFileId } = (await uploaded.json()) as { id: string };
  const created = await key.client.post("/v1/batches", {
    input_file_id: inputFileId,
    endpoint,
    completion_window: "24h",
  });
  if (created.status !== 200) throw new Error(`the batch was refused: ${created.text}`);
  return { key, ids, batch: created.json<Batch>() };
}

/** Polls until every batch has ended, or the time is over. */
async function allEnded(running: readonly Running[], { maxMs, lines, report }: BatchSoakOptions): Promise<void> {
  const endAt = performance.now() + maxMs;
  let reportAt = 0;
  while (performance.now() < endAt) {
    for (const one of running.filter(({ batch }) => unfinished.has(batch.status)))
      one.batch = (await find(one)) ?? one.batch;
    if (running.every(({ batch }) => !unfinished.has(batch.status))) return;
    if (performance.now() >= reportAt) {
      const done = running.reduce((sum, { batch: { request_counts: n } }) => sum + n.completed + n.failed, 0);
      report?.(`${done} of ${lines} lines have a result`);
      reportAt = performance.now() + progressMs;
    }
    await sleep(500);
  }
}

/** The batch; undefined while the gateway cannot be reached. */
async function find({ key, batch }: Running): Promise<Batch | undefined> {
  const response = await key.client.get(`/v1/batches/${batch.id}`).catch(() => undefined);
  return response?.status === 200 ? response.json<Batch>() : undefined;
}

async function contentOf({ client }: LimitedKey, id: string | null): Promise<string> {
  if (id === null) return "";
  const response = await client.get(`/v1/files/${id}/content`);
  if (response.status !== 200) throw new Error(`file ${id} cannot be read: ${response.text}`);
  return response.text;
}

/** The books once every successful line is billed; bills that are missing by then are violations. */
async function findings(fleet: TestFleet, running: readonly Running[]): Promise<BatchFindings> {
  const results = await Promise.all(
    running.map(async ({ key, batch }) =>
      resultsIn((await contentOf(key, batch.output_file_id)) + (await contentOf(key, batch.error_file_id))),
    ),
  );
  let audited = await fleet.audit();
  const check = (): BatchFindings[] =>
    running.map(({ key, ids }, at) => {
      const bills = audited.books.billed.filter(({ keyId }) => keyId === key.key.id);
      return checkBatch(ids, results[at] ?? [], bills);
    });
  const done = async (): Promise<boolean> => {
    if (check().every(({ violations }) => violations.length === 0) && audited.violations.length === 0) return true;
    audited = await fleet.audit();
    return false;
  };
  await waitFor(done, { timeoutMs: 60_000, everyMs: 1_000 }).catch(() => undefined);
  return merged(check(), audited.violations);
}

function merged(found: readonly BatchFindings[], violations: readonly string[]): BatchFindings {
  const sum = (of: (one: BatchFindings) => number): number => found.reduce((total, one) => total + of(one), 0);
  const failed: Record<string, number> = {};
  for (const one of found)
    for (const [why, count] of Object.entries(one.failed)) failed[why] = (failed[why] ?? 0) + count;
  return {
    succeeded: sum((one) => one.succeeded),
    failed,
    lost: sum((one) => one.lost),
    doubled: sum((one) => one.doubled),
    billed: sum((one) => one.billed),
    violations: [...found.flatMap((one) => one.violations), ...violations],
  };
}
