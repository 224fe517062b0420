// Sends small requests to a fleet continuously, in a thread of its own, so that an attack does not
// delay the probe itself.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

export interface Probe {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A probe's results since the last report. */
export interface ProbeReport {
  /** Milliseconds. */
  readonly latencies: number[];
  /** A message for each response other than 200. */
  readonly failures: string[];
}

const agent = new Agent({ keepAlive: true });
const pauseMs = 10;
const timeoutMs = 20_000;

function call({ url, method, headers, body }: Probe): Promise<string | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method, headers, agent, timeout: timeoutMs }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
      response.once("error", (error) => resolve(error.message));
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error("no response in 20 s")));
    outgoing.once("error", (error) => resolve(error.message));
    outgoing.end(body);
  });
}

let seen: ProbeReport = { latencies: [], failures: [] };

async function watch(probe: Probe): Promise<never> {
  for (;;) {
    const startedAt = performance.now();
    const failure = await call(probe);
    seen.latencies.push(performance.now() - startedAt);
    if (failure !== undefined) seen.failures.push(failure);
    await sleep(pauseMs);
  }
}

void watch(workerData as Probe);
parentPort?.on("message", () => {
  parentPort?.postMessage(seen);
  seen = { latencies: [], failures: [] };
});
