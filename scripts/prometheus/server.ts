import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@uag/harness/testing/free-port";
import { z } from "zod";
import { findProgram } from "./tools.ts";

const readyTries = 300;

const instant = z.object({ data: z.object({ result: z.array(z.unknown()) }) });
const rules = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
      }),
    ),
  }),
});
const alerts = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })) }),
});

/** A Prometheus server of this process. Disposing stops it. */
export interface PrometheusServer extends AsyncDisposable {
  /** The number of series that a query returns. @throws {Error} if none */
  query(query: string): Promise<number>;
  /** Rules that cannot be evaluated, with the reasons. */
  faultyRules(): Promise<string[]>;
  /** Names of the alerts that fire. */
  firing(): Promise<string[]>;
}

/** Starts Prometheus with a file of settings; resolves when it responds. */
export async function startPrometheus(options: { config: string; dataDir: string }): Promise<PrometheusServer> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    await findProgram("prometheus"),
    [
      `--config.file=${options.config}`,
      `--storage.tsdb.path=${options.dataDir}`,
      `--web.listen-address=${url.replace("http://", "")}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const ended = once(child, "exit");
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let look = 0; !(await isReady()); look++) {
    if (child.exitCode !== null || look === readyTries) throw new Error("Prometheus did not start");
    await sleep(100);
  }
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    async query(query) {
      return instant.parse(await get(`query?query=${encodeURIComponent(query)}`)).data.result.length;
    },
    async faultyRules() {
      const { groups } = rules.parse(await get("rules")).data;
      const all = groups.flatMap((group) => group.rules);
      return all.filter(({ health }) => health !== "ok").map(({ name, lastError }) => `${name}: ${lastError}`);
    },
    async firing() {
      const { alerts: found } = alerts.parse(await get("alerts")).data;
      return found.filter(({ state }) => state === "firing").map(({ labels }) => labels["alertname"] ?? "");
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
