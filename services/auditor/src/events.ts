import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import type { Flaw } from "./checkpoint.ts";
import type { Verdict } from "./verdict.ts";

/** The auditor's events, each logged and counted in one place. */
export interface AuditorEvents {
  audited(verdict: Verdict): void;
  fellBack(accountId: string, flaw: Flaw): void;
  failed(error: unknown): void;
}

const maxLogged = 20;

/** @param since the time up to which the books are audited, unix milliseconds */
export function createEvents(log: Logger, metrics: Metrics, since: () => number): AuditorEvents {
  const faults = metrics.gauge("uag_audit_faults");
  const last = metrics.gauge("uag_audit_last_run_timestamp_seconds");
  const rows = metrics.counter("uag_audit_rows_total");
  const seconds = metrics.seconds("uag_audit_seconds");
  const fallbacks = metrics.counter("uag_audit_fallbacks_total");
  const failures = metrics.counter("uag_audit_failures_total");
  metrics.sampled("uag_audit_lag_seconds", () => (Date.now() - since()) / 1_000);
  let exact: ReturnType<typeof metrics.gauge> | undefined;
  return {
    audited(verdict) {
      const { _id: kind, moment, tookMs, accounts, rows: read, notices } = verdict;
      exact ??= metrics.gauge("uag_audit_exact");
      exact.set(verdict.exact ? 1 : 0);
      faults.set(verdict.faults.length);
      last.set({ kind }, moment.getTime() / 1_000);
      rows.inc({ kind }, read);
      seconds.observe({ kind }, tookMs / 1_000);
      const reported = { kind, accounts, rows: read, tookMs, notices: notices.length };
      if (verdict.exact) log.info(reported, "the books are exact");
      else log.error({ ...reported, faults: verdict.faults.slice(0, maxLogged) }, "the books are not exact");
    },
    fellBack(accountId, why) {
      fallbacks.inc({ why });
      log.warn({ accountId, why }, "an account has no checkpoint to go on from: it is read from its first row");
    },
    failed(error) {
      failures.inc();
      log.error({ err: error }, "an audit did not get to its end");
    },
  };
}
