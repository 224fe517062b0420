import { setTimeout as sleep } from "node:timers/promises";
import { topUp } from "@uag/harness/fleet/limited-key";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { killPeriodically } from "./kills.ts";
import { checkVideo, type Findings } from "./video-check.ts";
import { crashTasks, type TaskDeaths, type TaskFunds } from "./video-crash.ts";
import { allEnded, listAll, quantiles, setFates, submitAll, type Task } from "./video-load.ts";
import { newSecret } from "./video-secret.ts";

export interface VideoSoakOptions {
  readonly tasks: number;
  readonly seed: number;
  /** Sources of funds for which a process dies at every point of a task's life. */
  readonly funds: readonly TaskFunds[];
  /** Processes to kill at random. */
  readonly kill: readonly string[];
  readonly killEveryMs: number;
  readonly dataDir: string;
  readonly replicas: number;
  /** Concurrent submissions. */
  readonly concurrency: number;
  /** Receives a progress line from time to time. */
  readonly report?: (line: string) => void;
}

export interface VideoSoakReport extends Findings, Pick<TaskDeaths, "deaths" | "atEdge"> {
  readonly tasks: number;
  readonly kills: number;
  /** Number of restarts by process. */
  readonly restarts: Readonly<Record<string, number>>;
  /** Durations of submissions that succeeded on the first attempt, milliseconds. */
  readonly submitMs: { readonly p50: number; readonly p99: number };
  readonly seconds: number;
}

const settings = { SIM_TASK_MS: "3000", TASK_AGE_LIMIT_MS: "25000", WEBHOOK_SCALE: "0.02", LOG_LEVEL: "warn" };
const progressMs = 10_000;

async function webhooksArrived(receiver: Receiver, tasks: readonly Task[]): Promise<void> {
  const all = (): boolean => new Set(receiver.received.map(({ task }) => task.id)).size >= tasks.length;
  // Webhooks still missing then are reported as violations.
  await waitFor(all, { timeoutMs: 120_000, everyMs: 200, what: "a webhook for every task" }).catch(() => undefined);
}

/** Reports progress every few seconds. */
async function reportProgress(
  options: VideoSoakOptions,
  reported: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(progressMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
    if (stop.aborted) return;
    options.report?.(`${reported.length} of ${options.tasks} tasks accepted`);
  }
}

interface Run {
  readonly fleet: TestFleet;
  readonly receiver: Receiver;
  readonly submitMs: number[];
  readonly reported: string[];
}

/**
 * Submits everything while processes are killed, until the last task has ended; returns the number
 * of kills.
 */
async function underFire({ fleet, receiver, submitMs, reported }: Run, options: VideoSoakOptions): Promise<number> {
  const { kill: names, killEveryMs: everyMs, seed, tasks, concurrency } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const killing = killPeriodically(fleet, { names, everyMs, random: seededRandom(seed), signal });
  const reporting = reportProgress(options, reported, signal);
  try {
    await submitAll(fleet.client, { tasks, seed, concurrency, url: receiver.url, submitMs, reported });
    options.report?.("all tasks accepted; waiting for their ends");
    await allEnded(fleet.client, 180_000 + tasks * 500);
  } finally {
    stop.abort();
    await Promise.all([killing, reporting]);
  }
  await Promise.all(names.map((name) => fleet.processes.ready(name)));
  return await killing;
}

/**
 * Kills a video process at every point of a task's life for each source of funds; then submits
 * tasks with webhooks while processes are killed with SIGKILL at random, and checks that every task
 * ended, was created at most once, was charged according to its end, was reported under a single
 * id, and that the books are exact.
 */
export async function soakVideo(options: VideoSoakOptions): Promise<VideoSoakReport> {
  const began = performance.now();
  await using receiver = await startReceiver({ refuseEvery: 20 });
  await using fleet = await startTestFleet({
    dataDir: options.dataDir,
    services: ["billing", "metering", "notifications", "media", "video", "router"],
    replicas: { video: options.replicas },
    egressAllow: receiver.address,
    env: settings,
  });
  receiver.secret = await newSecret(fleet);
  await topUp(fleet, BigInt(options.tasks) * 1_000_000_000n, "soak");
  const reported: string[] = [];
  const crashed = await crashTasks(fleet, { funds: options.funds, receiver, reported, report: options.report });
  await setFates(fleet.run.simulator_url, options.seed);
  const run: Run = { fleet, receiver, submitMs: [], reported };
  const kills = await underFire(run, options);
  const tasks = (await Promise.all([fleet.client, ...crashed.others].map(listAll))).flat();
  await webhooksArrived(receiver, tasks);
  options.report?.("checking");
  const findings = await checkVideo(fleet, { tasks, reported: run.reported, receiver });
  const restarts = Object.fromEntries(options.kill.map((name) => [name, fleet.processes.restarts(name)]));
  const seconds = Math.round((performance.now() - began) / 1_000);
  const { deaths, atEdge } = crashed;
  return {
    ...findings,
    violations: [...findings.violations, ...crashed.violations],
    deaths,
    atEdge,
    tasks: tasks.length,
    kills: kills + crashed.kills,
    restarts,
    seconds,
    submitMs: quantiles(run.submitMs),
  };
}
