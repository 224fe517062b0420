import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { TestFleet } from "../testing/with-fleet.ts";
import type { Probe, Sightings } from "./probe-worker.ts";

/** Processes of ours that clients' requests reach. */
const watched = ["router", "chat", "embedding", "media", "speech", "video", "billing"] as const;
const pageBytes = 4_096;
const mebibyte = 1024 * 1024;
const memoryEveryMs = 50;

export const neighbour = "neighbour";

/** What others felt of an attack. */
export interface Felt {
  /** Longest wait of a small request to each process's own port, milliseconds: how long its event loop stood still. */
  readonly stalls: Readonly<Record<string, number>>;
  /** Growth of each process's memory at its largest, MiB. */
  readonly growth: Readonly<Record<string, number>>;
  /** 99th percentile of the waits of another key's small requests, milliseconds. */
  readonly neighbourMs: number;
  readonly failedNeighbours: readonly string[];
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(text.split(" ")[1] ?? 0) * pageBytes;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Another key's small request, all the time. */
function neighbourProbe({ run }: TestFleet): Probe {
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "say: hello" }] });
  const headers = { authorization: `Bearer ${run.api_key}`, "content-type": "application/json" };
  return { name: neighbour, url: `${run.base_url}/v1/chat/completions`, method: "POST", headers, body };
}

async function operatorPorts({ dataDir }: TestFleet): Promise<Map<string, number>> {
  const ports = JSON.parse(await readFile(join(dataDir, "ports.json"), "utf8")) as Record<string, number>;
  return new Map(
    watched.flatMap((name) => (ports[`${name}.ADMIN_PORT`] ? [[name, ports[`${name}.ADMIN_PORT`] as number]] : [])),
  );
}

/** Measures what a fleet's processes and its other clients feel. */
export class Gauges implements AsyncDisposable {
  readonly #fleet: TestFleet;
  readonly #worker: Worker;

  private constructor(fleet: TestFleet, worker: Worker) {
    this.#fleet = fleet;
    this.#worker = worker;
  }

  static async open(fleet: TestFleet): Promise<Gauges> {
    const probes = [...(await operatorPorts(fleet))].map(
      ([name, port]): Probe => ({ name, url: `http://127.0.0.1:${port}/health/live`, method: "GET", headers: {} }),
    );
    const workerData = [...probes, neighbourProbe(fleet)];
    return new Gauges(fleet, new Worker(new URL("./probe-worker.ts", import.meta.url), { workerData }));
  }

  /** Runs `work`, and tells what was felt from its beginning to a moment after its end. */
  async during(work: () => Promise<void>, settleMs = 300): Promise<Felt> {
    await this.#sightings();
    const memory = await this.#watchMemory();
    await work();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const growth = memory.stop();
    const seen = await this.#sightings();
    const stalls = Object.fromEntries(
      [...seen]
        .filter(([name]) => name !== neighbour)
        .map(([name, { latencies }]) => [name, Math.max(0, ...latencies)]),
    );
    const { latencies, failures } = seen.get(neighbour) ?? { latencies: [], failures: [] };
    return { stalls, growth, neighbourMs: percentile(latencies, 0.99), failedNeighbours: failures };
  }

  #sightings(): Promise<Map<string, Sightings>> {
    return new Promise((resolve) => {
      this.#worker.once("message", resolve);
      this.#worker.postMessage("tell");
    });
  }

  async #watchMemory(): Promise<{ stop(): Record<string, number> }> {
    const read = async (): Promise<[string, number][]> => {
      const { pids } = this.#fleet.run;
      const names = watched.filter((name) => pids[name] !== undefined);
      return await Promise.all(
        names.map(async (name): Promise<[string, number]> => [name, await residentBytes(pids[name] as number)]),
      );
    };
    const before = new Map(await read());
    const most = new Map(before);
    const timer = setInterval(async () => {
      for (const [name, bytes] of await read()) most.set(name, Math.max(bytes, most.get(name) ?? 0));
    }, memoryEveryMs);
    return {
      stop() {
        clearInterval(timer);
        return Object.fromEntries(
          [...most].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / mebibyte]),
        );
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
