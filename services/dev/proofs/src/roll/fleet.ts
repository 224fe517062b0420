import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames } from "@uag/contract/routes";
import type { TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { newAccount, topUp } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { repoRoot } from "@uag/local/paths";
import type { FleetOptions } from "@uag/local/service";
import { keepAlive } from "@uag/runtime/http/keep-alive";
import type { Figures } from "../soak/figures.ts";

/** The options of a change of a fleet under load. */
export interface ChangeOptions {
  readonly dataDir: string;
  readonly random: () => number;
  /** Duration of a long stream, seconds. */
  readonly streamSeconds: number;
  /** Services that are changed; default all. */
  readonly services?: readonly string[];
  report(line: string): void;
}

/** What clients noticed of a change, and the books after it. */
export interface ChangeReport {
  readonly figures: Figures;
  /** Successful client actions by name. */
  readonly done: ReadonlyMap<string, number>;
  readonly failed: number;
}

/** Chat models of slow providers: a tenth of a second, and a second for each word. */
export const quickModel = "gpt-4o-mini";
export const slowModel = "gpt-4.1-mini";

const quickMs = 100;

export interface RollFleetOptions extends Pick<FleetOptions, "services" | "mongodbUrl" | "natsUrl" | "release"> {
  readonly dataDir: string;
  readonly replicas: number;
  /** Services with this many replicas; default: all that are rolled. */
  readonly replicated?: readonly string[];
  readonly drainMs: number;
  /** Pause between the words of a slow response, milliseconds. */
  readonly wordMs: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The path of the catalogue in a checkout. */
export const catalogPath = "infra/config/catalog.yaml";

export const catalogOf = (dataDir: string): string => join(dataDir, "catalog.yaml");

/** Every service that is rolled on its own, in the order of a release. */
export const rolled = ["notifications", "metering", "billing", ...serviceNames, "mcp", "console", "router"] as const;

const accountCount = 24;
const richNanoUsd = 100_000_000_000n;

/**
 * How long a process that stops needs, milliseconds. A stream under way has promised to keep its
 * connection, so another may follow on it; an idle one may begin a stream until its keep-alive time
 * is over; and on a busy machine each word comes late.
 */
export const graceFor = (streamSeconds: number): number =>
  keepAlive.keepAliveTimeout + (3 * streamSeconds + 10) * 1_000;

/** Keys of several accounts, because all requests of one account go to one replica while it is reachable. */
export async function clientsOf(fleet: TestFleet): Promise<TestClient[]> {
  const made = Array.from({ length: accountCount }, () => newAccount(fleet, richNanoUsd));
  return (await Promise.all(made)).map(({ client }) => client);
}

/** Unexpected ends of processes, and stops that took too long, one sentence each. */
export const unexpectedEnds = ({ lines }: TestFleet): string[] =>
  lines.filter((line) => / ended \(| is killed$/.test(line));

/** A fleet with several replicas of each service behind a balancer, and a catalogue of its own. */
export async function startRollFleet(options: RollFleetOptions): Promise<TestFleet> {
  const { dataDir, replicas, replicated = rolled, drainMs, wordMs, env, ...rest } = options;
  const catalog = catalogOf(dataDir);
  await copyFile(join(rest.release?.root ?? repoRoot, catalogPath), catalog);
  const fleet = await startTestFleet({
    ...rest,
    dataDir,
    replicas: Object.fromEntries(replicated.map((name) => [name, replicas])),
    env: {
      CATALOG_FILE: catalog,
      DRAIN_MS: String(drainMs),
      LINGER_MS: "3000",
      SIM_TASK_MS: "3000",
      LOG_LEVEL: "warn",
      ...env,
    },
  });
  await topUp(fleet, 1_000_000_000_000n, "roll");
  await setFault(fleet.run.simulator_url, { latency: quickMs }, { model: `${quickModel}*` });
  await setFault(fleet.run.simulator_url, { slow: wordMs }, { model: `${slowModel}*` });
  return fleet;
}
