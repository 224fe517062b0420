import { setTimeout as sleep } from "node:timers/promises";
import { serviceNames } from "@uag/contract/routes";
import { counterOf } from "@uag/harness/fleet/metrics";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { buildConsole } from "@uag/local/console-web";
import { replicaNames } from "@uag/local/service-processes";
import { collectFigures } from "../soak/figures.ts";
import {
  type ChangeOptions,
  type ChangeReport,
  clientsOf,
  graceFor,
  rolled,
  startRollFleet,
  unexpectedEnds,
} from "./fleet.ts";
import { MixedLoad } from "./mixed-load.ts";
import type { Tally } from "./tally.ts";

export interface ScaleOptions extends ChangeOptions {
  /** Duration of each number of replicas, seconds. */
  readonly seconds: number;
}

const most = 3;
const wordMs = 250;
/** The promise: a ready replica gets traffic within this time. */
const trafficWithinMs = 30_000;

/** The metric that a process increases when it gets traffic, by service. */
const workOf: Readonly<Record<string, string>> = {
  router: "uag_requests_total",
  billing: "uag_billing_settled_total",
  metering: "uag_usage_batches_total",
  mcp: "uag_mcp_requests_total",
  console: "uag_console_requests_total",
  ...Object.fromEntries(serviceNames.map((name) => [name, "uag_settlements_total"])),
  video: "uag_video_tasks_settled_total",
};

/** Nothing in the load sends a webhook, so replicas of notifications would have no work. */
const scaled = rolled.filter((name) => name !== "notifications");

const addedTo = (service: string): string[] => replicaNames(service, most).slice(1);

/** Starts replicas, and waits until each gets traffic; returns the time since its readiness. */
async function scaleUp(fleet: TestFleet, service: string, tally: Tally): Promise<number[]> {
  const metric = workOf[service];
  if (metric === undefined) throw new Error(`no traffic metric is configured for ${service}`);
  return await Promise.all(
    addedTo(service).map(async (name) => {
      await fleet.processes.restart(name);
      const began = performance.now();
      const works = async (): Promise<boolean> => (await counterOf(fleet, name, metric)) > 0;
      const worked = await waitFor(works, { timeoutMs: 2 * trafficWithinMs, everyMs: 200 }).catch(() => false);
      const ms = performance.now() - began;
      if (!worked || ms > trafficWithinMs) tally.fail(name, `no traffic within ${trafficWithinMs} ms`);
      return ms;
    }),
  );
}

/**
 * Takes every service from one replica to three and back, under everything that clients do. New
 * replicas must get work, no request may fail, and the books must be exact.
 */
export async function scale(options: ScaleOptions): Promise<ChangeReport> {
  const { dataDir, random, seconds, streamSeconds, services = scaled, report } = options;
  const drainMs = graceFor(streamSeconds);
  const words = (streamSeconds * 1_000) / wordMs;
  await buildConsole({ report });
  await using fleet = await startRollFleet({ dataDir, replicas: most, drainMs, wordMs });
  await Promise.all(services.flatMap((service) => addedTo(service).map((name) => fleet.processes.stop(name))));
  const load = new MixedLoad({ fleet, clients: await clientsOf(fleet), random, words });
  const { tally } = load;
  try {
    await sleep(seconds * 1_000);
    for (const service of services) {
      tally.during = `${service} from 1 to ${most}`;
      const ms = await scaleUp(fleet, service, tally);
      await sleep(seconds * 1_000);
      tally.during = `${service} from ${most} to 1`;
      await Promise.all(addedTo(service).map((name) => fleet.processes.stop(name)));
      await sleep(seconds * 1_000);
      const shown = ms.map((one) => (one / 1_000).toFixed(1)).join(" and ");
      report(`${service}: traffic ${shown} s after readiness; ${tally.sum} done, ${tally.failed} failed`);
    }
  } finally {
    await load.stop();
  }
  const figures = await collectFigures(fleet, {
    responses: load.responses,
    violations: [...tally.violations(), ...unexpectedEnds(fleet)],
    waitMs: 120_000,
  });
  return { figures, done: tally.done, failed: tally.failed };
}
