import { join } from "node:path";
import { type Fleet, type FleetOptions, startFleet } from "@uag/local/service";
import { tailOf } from "@uag/local/supervisor/log-file";
import { type AuditReport, audit as auditRun } from "../audit/audit.ts";
import { createTestClient, type TestClient } from "./client.ts";
import { leaksOf, shownPages, watchFetch } from "./handed-out.ts";
import { withTemporaryDir } from "./temporary-dir.ts";

export interface TestFleet extends Fleet {
  /** Calls the public server with the seeded key. */
  readonly client: TestClient;
  /** The supervisor's messages for people, line by line. */
  readonly lines: readonly string[];
  /** Compares ledger, balances and what the simulator served; waits for bills in flight. */
  audit(waitMs?: number): Promise<AuditReport>;
}

const logLines = 10;
/** Longest wait for bills in flight, milliseconds, so that a slow machine causes no violation. */
const auditWaitMs = 90_000;

async function logTails(fleet: Fleet): Promise<string> {
  const names = fleet.processes.names();
  const tails = await Promise.all(names.map((name) => tailOf(join(fleet.dataDir, "log", `${name}.log`), logLines)));
  return names.map((name, i) => `--- ${name}.log\n${tails[i]}`).join("\n");
}

/**
 * Starts a fleet with `startFleet`, on ports of its own, with helpers for tests. Disposing fails
 * when a log, an audit row or a metric of the fleet contains a secret that it handed out.
 */
export async function startTestFleet(options: FleetOptions): Promise<TestFleet> {
  watchFetch();
  const lines: string[] = [];
  const fleet = await startFleet({ ...options, report: (line) => lines.push(line) });
  const { run, dataDir } = fleet;
  const client = createTestClient({ baseUrl: run.base_url, apiKey: run.api_key });
  const audit = (waitMs = auditWaitMs): Promise<AuditReport> => auditRun({ run, dataDir, waitMs });
  const dispose = async (): Promise<void> => {
    const pages = await shownPages(fleet).finally(() => fleet.stop());
    const leaks = await leaksOf(fleet, { pages, env: options.env ?? {} });
    if (leaks.length === 0) return;
    const found = leaks.map(({ where, secret }) => `${where}: ${secret}`);
    throw new Error(`The fleet wrote secrets that it had handed out:\n${found.join("\n")}`);
  };
  return { ...fleet, client, lines, audit, [Symbol.asyncDispose]: dispose };
}

/**
 * Runs a test against a fleet of its own in a folder of its own, and removes both afterwards. When
 * the test fails, the ends of the fleet's logs are added to the error.
 */
export async function withFleet(
  options: Partial<FleetOptions>,
  work: (fleet: TestFleet) => Promise<void>,
): Promise<void> {
  const run = async (dataDir: string): Promise<void> => {
    await using fleet = await startTestFleet({ ...options, dataDir });
    await work(fleet).catch(async (error: unknown) => {
      if (error instanceof Error) error.stack += `\n\n${[...fleet.lines, await logTails(fleet)].join("\n")}`;
      throw error;
    });
  };
  await (options.dataDir === undefined ? withTemporaryDir(run) : run(options.dataDir));
}
