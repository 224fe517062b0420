import { setTimeout as sleep } from "node:timers/promises";
import { modelsOn } from "@uag/ledger/documents/store";
import { type DatabaseClock, openDatabaseClock } from "@uag/mongo/database-clock";
import { maxSkewMs } from "@uag/runtime/clock";
import { readConfig } from "@uag/runtime/config";
import { type HealthCheck, startAdminServer } from "@uag/runtime/health";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics, type Metrics } from "@uag/runtime/metrics";
import { type AuditorConfig, schema } from "./config.ts";
import { type AuditorEvents, createEvents } from "./events.ts";
import { exitCodeOf } from "./reconcile/result.ts";
import { keepReconciling, openReconciler, reconcileRecent } from "./reconcile/schedule.ts";
import { type AuditParts, runAudit } from "./run.ts";
import { connect, openAuditStore } from "./store.ts";
import type { Kind, Verdict } from "./verdict.ts";

export interface AuditorService extends AsyncDisposable {
  readonly adminPort: number;
}

/** What the process knows about the books. */
class Known {
  /** When the last audit began, or else this process, by its monotonic clock, milliseconds. */
  #since = performance.now();
  #last: Verdict | undefined;

  take(verdict: Verdict): void {
    this.#last = verdict;
    this.#since = performance.now() - verdict.tookMs;
  }

  /** How long ago the last audit began, milliseconds. */
  get lagMs(): number {
    return performance.now() - this.#since;
  }

  /** @param maxMs the maximum age of a verdict */
  check(maxMs: number): HealthCheck {
    return async () => {
      const [fault] = this.#last?.faults ?? [];
      if (fault !== undefined) return { ok: false, reason: `The books are not exact. ${fault}` };
      if (this.lagMs > maxMs) return { ok: false, reason: "The last completed audit is too old." };
      return { ok: true };
    };
  }
}

/**
 * The kind of audit that is due next, and in how many milliseconds. A verdict of the future, by a
 * process whose clock was wrong, does not count.
 */
export async function nextDue(
  { own, clock }: Pick<AuditParts, "own" | "clock">,
  config: Pick<AuditorConfig, "AUDIT_EVERY_MS" | "AUDIT_WHOLE_EVERY_MS">,
): Promise<{ kind: Kind; inMs: number }> {
  const verdicts = await own.verdicts.find({}, { projection: { moment: 1 } }).toArray();
  const nowMs = await clock.moment();
  const ageOf = (kind?: Kind): number => {
    const moments = verdicts
      .filter(({ _id }) => kind === undefined || _id === kind)
      .map(({ moment }) => moment.getTime())
      .filter((ms) => ms <= nowMs + maxSkewMs);
    return nowMs - Math.max(Number.NEGATIVE_INFINITY, ...moments);
  };
  const kind = ageOf("whole") >= config.AUDIT_WHOLE_EVERY_MS ? "whole" : "incremental";
  return { kind, inMs: kind === "whole" ? 0 : Math.max(0, config.AUDIT_EVERY_MS - ageOf()) };
}

/** What a process of the auditor reports with. */
interface Reporting {
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The books, the auditor's own database and its clock. */
interface OpenParts extends AuditParts {
  readonly clock: DatabaseClock;
}

async function openParts(config: AuditorConfig, reporting: Reporting, stack: AsyncDisposableStack): Promise<OpenParts> {
  const { MONGODB_URL: url } = config;
  const connection = await connect(url, config.BILLING_DATABASE);
  stack.defer(() => connection.close());
  const own = stack.use(await openAuditStore(url, config.MONGODB_DATABASE));
  const books = { connection, ...modelsOn(connection) };
  const keys = keyringOf(config.AUDIT_KEY, config.AUDIT_KEY_PREVIOUS);
  const clock = stack.use(await openDatabaseClock(connection, reporting));
  return { books, own, keys, clock, database: { url, database: config.BILLING_DATABASE } };
}

/** Runs the audit that is due, once; returns whether the books are exact. */
export async function auditOnce(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const config = readConfig(schema, env);
  await using stack = new AsyncDisposableStack();
  const log = createLogger({ service: "auditor", level: config.LOG_LEVEL });
  const metrics = createMetrics("auditor");
  const events = createEvents(log, metrics, () => 0);
  const parts = { ...(await openParts(config, { log, metrics }, stack)), onFallback: events.fellBack };
  const verdict = await runAudit(parts, (await nextDue(parts, config)).kind);
  events.audited(verdict);
  return verdict.exact;
}

/**
 * Compares the last days with the providers' reports, once.
 * @returns the process's exit code: see {@link exitCodeOf}
 */
export async function reconcileOnce(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const config = readConfig(schema, env);
  await using stack = new AsyncDisposableStack();
  const log = createLogger({ service: "auditor", level: config.LOG_LEVEL });
  const events = createEvents(log, createMetrics("auditor"), () => 0);
  const reconciler = await openReconciler(config, env, stack);
  const results = await reconcileRecent(reconciler, config, events);
  return exitCodeOf(results.filter(({ settled }) => settled));
}

/**
 * Audits whenever one is due, until stopped. A failed audit is retried a tenth of the period later.
 */
async function keepAuditing(
  parts: AuditParts,
  options: { config: AuditorConfig; known: Known; events: AuditorEvents; signal: AbortSignal },
): Promise<void> {
  const { config, known, events, signal } = options;
  const delay = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
  await delay(config.AUDIT_FIRST_MS);
  while (!signal.aborted) {
    try {
      const { kind, inMs } = await nextDue(parts, config);
      if (inMs > 0) await delay(Math.min(inMs, config.AUDIT_EVERY_MS));
      if (signal.aborted) return;
      const verdict = await runAudit(parts, kind);
      known.take(verdict);
      events.audited(verdict);
    } catch (error) {
      // An audit interrupted by the end of the process has not failed.
      if (signal.aborted) return;
      events.failed(error);
      await delay(config.AUDIT_EVERY_MS / 10);
    }
  }
}

/** Starts the auditor as configured by the environment; resolves when its admin port responds. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<AuditorService> {
  const config = readConfig(schema, env);
  await using stack = new AsyncDisposableStack();
  const log = createLogger({ service: "auditor", level: config.LOG_LEVEL });
  const metrics = createMetrics("auditor");
  const known = new Known();
  const events = createEvents(log, metrics, () => known.lagMs);
  const parts = { ...(await openParts(config, { log, metrics }, stack)), onFallback: events.fellBack };
  const checks = { audit: known.check(2 * config.AUDIT_EVERY_MS), clock: parts.clock.check };
  const admin = stack.use(await startAdminServer({ host: config.HOST, port: config.ADMIN_PORT, metrics, checks }));
  const stop = new AbortController();
  void keepAuditing(parts, { config, known, events, signal: stop.signal });
  const reconciler = await openReconciler(config, env, stack, parts.clock);
  void keepReconciling(reconciler, { config, events, signal: stop.signal });
  stack.defer(() => stop.abort());
  log.info({ adminPort: admin.port }, "auditor is up");
  const running = stack.move();
  return { adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
