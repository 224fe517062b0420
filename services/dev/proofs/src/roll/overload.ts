import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { topUp } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { cpuWhile } from "../soak/cpu.ts";
import { collectFigures, type Figures } from "../soak/figures.ts";
import { clientsOf } from "./fleet.ts";

export interface OverloadOptions {
  readonly dataDir: string;
  /** Duration of each phase. */
  readonly seconds: number;
  report(line: string): void;
}

const model = "gpt-4o-mini";
const services = ["billing", "metering", "chat", "router"];
/** The provider's latency and the number of concurrent requests determine the capacity. */
const providerMs = 500;
const atOnce = 40;
const times = 5;
const leastShare = 0.9;
const recoverWithinMs = 10_000;
/** Pause of clients that ignore `retry-after`, so that the load stays at five times the capacity. */
const hastyMs = providerMs;

interface Phase {
  readonly succeeded: number;
  readonly refused: number;
  /** Refusals other than 429 and 503, or without `retry-after`. */
  readonly wrong: readonly string[];
  /** 99th percentile of the latency of refusals, milliseconds. */
  readonly refusedMs: number;
}

/** Runs this many clients that call without a pause, for some time. */
async function phaseOf(clients: readonly TestClient[], concurrency: number, ms: number): Promise<Phase> {
  const until = performance.now() + ms;
  const wrong: string[] = [];
  const took: number[] = [];
  let succeeded = 0;
  const call = async (client: TestClient): Promise<void> => {
    const began = performance.now();
    const messages = [{ role: "user", content: "say: hello" }];
    const { status, headers, text } = await client.post("/v1/chat/completions", { model, messages });
    if (status === 200) {
      // A response after the end of the phase does not count towards its goodput.
      if (performance.now() <= until) succeeded++;
      return;
    }
    took.push(performance.now() - began);
    if (![429, 503].includes(status) || !headers.has("retry-after")) wrong.push(`${status} ${text.slice(0, 200)}`);
    await sleep(hastyMs);
  };
  const work = async (client: TestClient): Promise<void> => {
    while (performance.now() < until) await call(client);
  };
  await Promise.all(Array.from({ length: concurrency }, (_, n) => work(clients[n % clients.length] as TestClient)));
  const sorted = took.toSorted((a, b) => a - b);
  const refusedMs = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
  return { succeeded, refused: took.length, wrong, refusedMs };
}

interface Measured extends Phase {
  /** Processor time of the fleet's services, milliseconds; unlike the rate, independent of other processes. */
  readonly cpuMs: number;
}

async function measured(fleet: TestFleet, work: () => Promise<Phase>): Promise<Measured> {
  const pids = Object.fromEntries(Object.entries(fleet.processes.pids()).filter(([name]) => services.includes(name)));
  const phases: Phase[] = [];
  const cpu = await cpuWhile(pids, async () => void phases.push(await work()));
  const cpuMs = Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
  return { ...(phases[0] as Phase), cpuMs };
}

/** For people: the processor time of a response, and of a refusal. */
function showCpu(peak: Measured, crowd: Measured): string {
  const perResponse = peak.cpuMs / peak.succeeded;
  const perRefusal = (crowd.cpuMs - crowd.succeeded * perResponse) / crowd.refused;
  return `processor: ${perResponse.toFixed(2)} ms per response at the peak, ${perRefusal.toFixed(2)} ms per refusal under overload`;
}

/** Time after an overload until a second passes without a refusal. */
async function recovery(clients: readonly TestClient[]): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < 2 * recoverWithinMs) {
    const at = performance.now() - began;
    if ((await phaseOf(clients, atOnce / 2, 1_000)).refused === 0) return at;
  }
  return Number.POSITIVE_INFINITY;
}

async function startSmallFleet(dataDir: string): Promise<TestFleet> {
  const env = { MAX_EXCHANGES: String(atOnce), LOG_LEVEL: "warn" };
  const fleet = await startTestFleet({ dataDir, services, env });
  await topUp(fleet, 1_000_000_000_000n, "overload");
  await setFault(fleet.run.simulator_url, { latency: providerMs }, { model: `${model}*` });
  return fleet;
}

/**
 * Runs five times as many clients as can be served: the excess is refused at once with
 * `retry-after`, as many requests as before succeed, and no request is refused once the overload
 * has ended.
 */
export async function overload(options: OverloadOptions): Promise<Figures> {
  const { dataDir, seconds, report } = options;
  await using fleet = await startSmallFleet(dataDir);
  const clients = await clientsOf(fleet);
  const ms = seconds * 1_000;
  await phaseOf(clients, atOnce, ms / 2);
  const peak = await measured(fleet, () => phaseOf(clients, atOnce, ms));
  const crowd = await measured(fleet, () => phaseOf(clients, times * atOnce, ms));
  const recoveredMs = await recovery(clients);
  const share = crowd.succeeded / peak.succeeded;
  report(
    `peak ${(peak.succeeded / seconds).toFixed(1)}/s; at ${times} times as many clients ` +
      `${(crowd.succeeded / seconds).toFixed(1)}/s (${(100 * share).toFixed(0)} %), ${crowd.refused} refused, ` +
      `p99 of refusals ${crowd.refusedMs} ms; recovered after ${(recoveredMs / 1_000).toFixed(1)} s`,
  );
  report(showCpu(peak, crowd));
  const violations = [...new Set([...peak.wrong, ...crowd.wrong])].map((text) => `A refusal was ${text}`);
  if (crowd.refused === 0) violations.push("No request was refused, so there was no overload.");
  if (share < leastShare) violations.push(`Only ${(100 * share).toFixed(0)} % of the peak's requests succeeded.`);
  if (recoveredMs > recoverWithinMs) violations.push(`It took ${recoveredMs} ms to recover.`);
  return collectFigures(fleet, { responses: [], violations, waitMs: 120_000 });
}
