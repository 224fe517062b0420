import { setTimeout as sleep } from "node:timers/promises";
import { readCrashLog } from "@uag/local/crash-log";
import type { Run } from "@uag/local/run-file";
import { type Books, providersAtSimulator, readBooks } from "./billed.ts";
import { type Comparison, compare } from "./compare.ts";
import { readServed, type Served } from "./served.ts";

export interface AuditOptions {
  run: Run;
  /** Absolute. */
  dataDir: string;
  /** How long to wait for bills still in flight; default 30,000. */
  waitMs?: number;
  /** Requests that no bill is expected of: after a restore, those whose usage is lost. */
  except?: ReadonlySet<string>;
}

export interface AuditReport {
  readonly exact: boolean;
  readonly books: Books;
  readonly comparison: Comparison;
  /** Violations found by billing and by the comparison, one sentence each. */
  readonly violations: readonly string[];
}

const retryMs = 300;

async function auditOnce({ run, dataDir, except }: AuditOptions): Promise<AuditReport> {
  const { attempts, complete } = await readServed(run.simulator_url);
  const books = await readBooks(run, { attempts, complete });
  const isExcept = ({ requestId = "" }: Served) => except?.has(requestId) || books.providerTests.has(requestId);
  const served = { attempts: attempts.filter((attempt) => !isExcept(attempt)), complete };
  const crashes = await readCrashLog(dataDir);
  const simulated = new Set([...run.simulated, ...(await providersAtSimulator(run))]);
  const comparison = compare({ served, billed: books.billed, simulated, crashes });
  const violations = [...books.violations, ...comparison.violations];
  return { exact: violations.length === 0, books, comparison, violations };
}

/**
 * Re-adds the whole ledger and compares it with the balances and with what the simulator served.
 * Bills arrive slightly after the responses, so a difference counts only if it persists.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  for (;;) {
    const report = await auditOnce(options);
    if (report.exact || performance.now() > deadline) return report;
    await sleep(retryMs);
  }
}
