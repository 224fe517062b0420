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
  /** How long each phase lasts. */
  readonly seconds: number;
  report(line: string): void;
}

const model = "gpt-4o-mini";
const services = ["billing", "metering", "chat", "router"];
/** A provider that takes this long, and so many requests at once, make the capacity known. */
const providerMs = 500;
const atOnce = 40;
const times = 5;
const leastShare = 0.9;
const recoverWithinMs = 10_000;
/** Clients that do not heed `retry-after`: the load stays at five times what can be served. */
const hastyMs = providerMs;

interface Phase {
  readonly answered: number;
  readonly refused: number;
  /** Refusals that are no 429 or 503, or do not say when to come back. */
  readonly wrong: readonly string[];
  /** How long a refusal took: the slowest of a hundred, milliseconds. */
  readonly refusedMs: number;
}

/** So many clients that call without a pause, for some time. */
async function phaseOf(clients: readonly TestClient[], concurrency: number, ms: number): Promise<Phase> {
  const until = performance.now() + ms;
  const wrong: string[] = [];
  const took: number[] = [];
  let answered = 0;
  const call = async (client: TestClient): Promise<void> => {
    const began = performance.now();
    const messages = [{ role: "user", content: "say: hello" }];
    const { status, headers, text } = await client.post("/v1/chat/completions", { model, messages });
    if (status === 200) {
      // What ends after the phase is not of its goodput.
      if (performance.now() <= until) answered++;
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
  return { answered, refused: took.length, wrong, refusedMs };
}

interface Measured extends Phase {
  /** Processor time of the fleet's own services, milliseconds: unlike the rate, nobody else's. */
  readonly cpuMs: number;
}

async function measured(fleet: TestFleet, work: () => Promise<Phase>): Promise<Measured> {
  const pids = Object.fromEntries(Object.entries(fleet.processes.pids()).filter(([name]) => services.includes(name)));
  const phases: Phase[] = [];
  const cpu = await cpuWhile(pids, async () => void phases.push(await work()));
  const cpuMs = Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
  return { ...(phases[0] as Phase), cpuMs };
}

/** For people: what a response takes of the processor, and what a refusal adds. */
function showCpu(peak: Measured, crowd: Measured): string {
  const perAnswer = peak.cpuMs / peak.answered;
  const perRefusal = (crowd.cpuMs - crowd.answered * perAnswer) / crowd.refused;
  return `processor: ${perAnswer.toFixed(2)} ms an answer at the peak, ${perRefusal.toFixed(2)} ms a refusal more under the crowd`;
}

/** How long it takes after an overload until a second passes without a refusal. */
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
 * Five times as many clients as can be served: the rest is refused at once and told when to come
 * back, as many as before are answered, and when the crowd is gone all is as it was.
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
  const share = crowd.answered / peak.answered;
  report(
    `peak ${(peak.answered / seconds).toFixed(1)}/s; at ${times} times as many clients ` +
      `${(crowd.answered / seconds).toFixed(1)}/s (${(100 * share).toFixed(0)} %), ${crowd.refused} refused, ` +
      `99 of 100 within ${crowd.refusedMs} ms; as before after ${(recoveredMs / 1_000).toFixed(1)} s`,
  );
  report(showCpu(peak, crowd));
  const violations = [...new Set([...peak.wrong, ...crowd.wrong])].map((text) => `A refusal was ${text}`);
  if (crowd.refused === 0) violations.push("Nobody was refused: there was no overload.");
  if (share < leastShare) violations.push(`Only ${(100 * share).toFixed(0)} % of the peak were answered.`);
  if (recoveredMs > recoverWithinMs) violations.push(`It took ${recoveredMs} ms to recover.`);
  return collectFigures(fleet, { responses: [], violations, waitMs: 120_000 });
}
