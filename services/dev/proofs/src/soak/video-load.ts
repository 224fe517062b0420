import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { waitFor } from "@uag/harness/testing/wait-for";

export interface Task {
  readonly id: string;
  readonly status: string;
  readonly model: string;
}

export const path = "/v1/videos/generations";

/** How the simulator's tasks end: most of them succeed. Some are charged although they do not. */
const fates: readonly (readonly [fault: string, probability: number])[] = [
  ["task-fail", 0.1],
  ["moderation", 0.05],
  ["task-expire", 0.02],
  ["task-cancelled", 0.04],
  ["task-unknown", 0.03],
  ["task-stuck", 0.03],
  ["task-charged", 0.3],
];

const bodies: readonly ((n: number) => Record<string, unknown>)[] = [
  (n) => ({ model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: `a boat, take ${n}` } }),
  (n) => ({ model: "beta2.7-t2v", duration: 4, input: { prompt: `a tree, take ${n}` } }),
  (n) => ({ model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: `a bird, take ${n}` }] }),
  (n) => ({ model: "grok-imagine-video", duration: 3, resolution: "480p", prompt: `a lamp, take ${n}` }),
];

/** Makes the simulator end tasks in all possible ways, at random from the seed. */
export async function setFates(simulatorUrl: string, seed: number): Promise<void> {
  for (const [fault, probability] of fates) {
    for (const model of ["wan*", "seedance*", "grok*"]) {
      await setFault(simulatorUrl, { [fault]: true }, { model, probability, seed: `${seed} ${fault} ${model}` });
    }
  }
}

export interface SubmitOptions {
  readonly tasks: number;
  /** Prefix of the idempotency keys. */
  readonly seed: number | string;
  /** Concurrent submissions. */
  readonly concurrency: number;
  /** The webhook URL for each task. */
  readonly url: string;
  /** Durations of submissions that succeeded on the first attempt, milliseconds. */
  readonly submitMs: number[];
  /** Ids returned to the client, in order of arrival. */
  readonly reported: string[];
  /** Called for each response for lack of money or permits, such as `402 insufficient_balance`. */
  readonly refused?: (outcome: string) => void;
}

/** The nth request: cycles through the families. */
function bodyOf(n: number): Record<string, unknown> {
  return (bodies[n % bodies.length] as (n: number) => Record<string, unknown>)(n);
}

export async function submitAll(client: TestClient, options: SubmitOptions): Promise<void> {
  const { tasks, seed, concurrency, url, submitMs, reported, refused } = options;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks) {
      const n = next++;
      const body = { ...bodyOf(n), webhook_url: url };
      reported.push(await submitUntilTaken(client, body, { key: `soak-${seed}-${n}`, submitMs, refused }));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Retries under the same key, like an SDK, until it succeeds. */
async function submitUntilTaken(
  client: TestClient,
  body: unknown,
  { key, submitMs, refused }: { key: string; submitMs: number[]; refused: SubmitOptions["refused"] },
): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    const began = performance.now();
    try {
      const response = await client.post(path, body, { headers: { "idempotency-key": key } });
      if (response.status === 202) {
        if (tries === 0) submitMs.push(performance.now() - began);
        return response.json<Task>().id;
      }
      const short = response.status === 402 || response.status === 429;
      if (short) refused?.(`${response.status} ${response.json<{ error: { code: string } }>().error.code}`);
      else if (response.status < 500 && response.status !== 409)
        throw new Error(`a submission failed with ${response.status}: ${response.text}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(200);
  }
  throw new Error("a submission was not accepted within the retries");
}

/** Every task in the listing. */
export async function listAll(client: TestClient): Promise<Task[]> {
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

/** Waits until the listing contains no unfinished task. */
export async function allEnded(client: TestClient, timeoutMs: number): Promise<void> {
  const noneLeft = async (): Promise<boolean> => {
    for (const status of live) {
      const response = await client.get(`${path}?limit=1&status=${status}`).catch(() => undefined);
      if (response?.status !== 200 || response.json<{ data: Task[] }>().data.length > 0) return false;
    }
    return true;
  };
  await waitFor(noneLeft, { timeoutMs, everyMs: 500, what: "every task to end" });
}

/** The median and the 99th percentile of the values, as integers. */
export function quantiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}
