import { Worker } from "node:worker_threads";
import { serviceNames } from "@uag/contract/routes";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import type { Probe, ProbeReport } from "./probe-worker.ts";
import type { TurnProbes } from "./turns.ts";

/** The gateway's processes that client requests reach. */
const watched = ["router", ...serviceNames, "mcp", "console", "billing", "metering", "notifications"] as const;
const mebibyte = 1024 * 1024;

/** The effect of an attack on others. */
export interface Effects {
  /**
   * Longest turn of each process's event loop, milliseconds of processor time: the wait of others
   * on an otherwise idle machine.
   */
  readonly stalls: Readonly<Record<string, number>>;
  /** Peak memory growth of each process, MiB. */
  readonly growth: Readonly<Record<string, number>>;
  /** Peak memory of each process, MiB. */
  readonly peaks: Readonly<Record<string, number>>;
  /** 99th percentile of the latency of another key's small requests, milliseconds. */
  readonly neighbourMs: number;
  readonly failedNeighbours: readonly string[];
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** A small request of another key, sent continuously. */
function neighbourProbe({ run }: TestFleet): Probe {
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "say: hello" }] });
  const headers = { authorization: `Bearer ${run.api_key}`, "content-type": "application/json" };
  return { url: `${run.base_url}/v1/chat/completions`, method: "POST", headers, body };
}

/** Measures the effect on a fleet's processes and its other clients. */
export class Gauges implements AsyncDisposable {
  readonly #fleet: TestFleet;
  readonly #turns: TurnProbes | undefined;
  readonly #worker: Worker;

  /**
   * @param turns for the processes of the fleet; without it, their turns and memory are not
   * measured
   */
  constructor(fleet: TestFleet, turns?: TurnProbes) {
    this.#fleet = fleet;
    this.#turns = turns;
    this.#worker = new Worker(new URL("./probe-worker.ts", import.meta.url), { workerData: neighbourProbe(fleet) });
  }

  /** Runs `work`, and reports the effects from its start until shortly after its end. */
  async during(work: () => Promise<void>, settleMs = 300): Promise<Effects> {
    await this.#sightings();
    await this.#turns?.read(this.#fleet.run, watched);
    await work();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const reports = [...((await this.#turns?.read(this.#fleet.run, watched)) ?? [])];
    const { latencies, failures } = await this.#sightings();
    return {
      stalls: Object.fromEntries(reports.map(([name, { maxMs }]) => [name, maxMs])),
      growth: Object.fromEntries(reports.map(([name, { grownBytes }]) => [name, grownBytes / mebibyte])),
      peaks: Object.fromEntries(reports.map(([name, { peakBytes }]) => [name, peakBytes / mebibyte])),
      neighbourMs: percentile(latencies, 0.99),
      failedNeighbours: failures,
    };
  }

  #sightings(): Promise<ProbeReport> {
    return new Promise((resolve) => {
      this.#worker.once("message", resolve);
      this.#worker.postMessage("tell");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
