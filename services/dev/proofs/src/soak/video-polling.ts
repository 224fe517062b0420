import { setTimeout as sleep } from "node:timers/promises";
import { setFault } from "@uag/harness/fleet/faults";
import { topUp } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { cpuWhile } from "./cpu.ts";
import { readMade } from "./video-check.ts";
import { quantiles, submitAll } from "./video-load.ts";

export interface PollingOptions {
  readonly tasks: number;
  readonly seconds: number;
  readonly replicas: number;
  readonly dataDir: string;
  report(line: string): void;
}

export interface PollingReport {
  /** Number of tasks that ran the whole time. */
  readonly running: number;
  readonly seconds: number;
  /** Polls of tasks per second. */
  readonly pollsPerSecond: number;
  /** CPU milliseconds per second, by process. */
  readonly cpuMsPerSecond: Readonly<Record<string, number>>;
  /** The same while no task is running. */
  readonly idleCpuMsPerSecond: Readonly<Record<string, number>>;
  readonly submitMs: { readonly p50: number; readonly p99: number };
}

const idleSeconds = 30;
const settleMs = 10_000;
/**
 * The polling rate for real providers; DashScope, Ark and xAI together are not polled faster than
 * this.
 */
const settings = { POLL_SCALE: "1", POLL_QPS: "20" };

async function cpuFor(fleet: TestFleet, seconds: number): Promise<Record<string, number>> {
  const used = await cpuWhile(fleet.processes.pids(), () => sleep(seconds * 1_000));
  return Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, Math.round((10 * ms) / seconds) / 10]));
}

/**
 * Measures the cost of polling running tasks at the rate for real providers, and the cost of
 * idling.
 */
export async function measurePolling(options: PollingOptions): Promise<PollingReport> {
  const { dataDir, replicas, tasks, seconds, report } = options;
  const services = ["billing", "metering", "video", "router"];
  await using fleet = await startTestFleet({ dataDir, services, replicas: { video: replicas }, env: settings });
  const url = "https://example.com/never-called";
  await topUp(fleet, BigInt(tasks) * 1_000_000_000n, "polling");
  await sleep(settleMs);
  report(`${idleSeconds} s of idling`);
  const idleCpuMsPerSecond = await cpuFor(fleet, idleSeconds);
  await setFault(fleet.run.simulator_url, { "task-stuck": true }, { model: "*" });
  const submitMs: number[] = [];
  await submitAll(fleet.client, { tasks, seed: 1, concurrency: 8, url, submitMs, reported: [] });
  const polls = async (): Promise<number> =>
    (await readMade(fleet.run.simulator_url)).reduce((sum, { polls }) => sum + polls, 0);
  report(`${tasks} tasks run`);
  await waitFor(async () => (await polls()) >= tasks, { timeoutMs: 120_000, everyMs: 1_000, what: "first polls" });
  const before = await polls();
  report(`${seconds} s of polling them`);
  const cpuMsPerSecond = await cpuFor(fleet, seconds);
  const polled = (await polls()) - before;
  const pollsPerSecond = Math.round((10 * polled) / seconds) / 10;
  return { running: tasks, seconds, pollsPerSecond, cpuMsPerSecond, idleCpuMsPerSecond, submitMs: quantiles(submitMs) };
}
