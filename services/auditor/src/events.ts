import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { Flaw } from "./checkpoint.ts";
import type { DayResult } from "./reconcile/result.ts";
import type { Verdict } from "./verdict.ts";

/** The auditor's events, each logged and counted in one place. */
export interface AuditorEvents {
  audited(verdict: Verdict): void;
  fellBack(accountId: string, flaw: Flaw): void;
  failed(error: unknown): void;
  /** The latest comparison of a provider's last days. */
  reconciled(provider: string, at: Date, days: readonly DayResult[]): void;
  reconcileFailed(error: unknown): void;
}

const maxLogged = 20;

/** @param lagMs how long ago the last audit began, milliseconds */
export function createEvents(log: Logger, metrics: Metrics, lagMs: () => number): AuditorEvents {
  const faults = metrics.gauge("uag_audit_faults");
  const last = metrics.gauge("uag_audit_last_run_timestamp_seconds");
  const rows = metrics.counter("uag_audit_rows_total");
  const seconds = metrics.seconds("uag_audit_seconds");
  const fallbacks = metrics.counter("uag_audit_fallbacks_total");
  const failures = metrics.counter("uag_audit_failures_total");
  metrics.sampled("uag_audit_lag_seconds", () => lagMs() / 1_000);
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
      else
        log.error(
          { ...reported, faults: verdict.faults.slice(0, maxLogged) },
          "the audit of the ledger found violations",
        );
    },
    fellBack(accountId, why) {
      fallbacks.inc({ why });
      log.warn({ accountId, why }, "an account has no usable checkpoint; auditing from its first row");
    },
    failed(error) {
      failures.inc();
      log.error({ err: error }, "audit failed");
    },
    ...reconcileEvents(log, metrics),
  };
}

function reconcileEvents(log: Logger, metrics: Metrics): Pick<AuditorEvents, "reconciled" | "reconcileFailed"> {
  const drifting = metrics.gauge("uag_reconcile_drifting_days");
  const unreadable = metrics.gauge("uag_reconcile_unreadable_days");
  const last = metrics.gauge("uag_reconcile_last_run_timestamp_seconds");
  const failures = metrics.counter("uag_reconcile_failures_total");
  return {
    reconciled(provider, at, days) {
      const settled = days.filter((day) => day.settled);
      const drift = settled.filter(({ state }) => state === "drifts");
      const unread = settled.filter(({ state }) => state === "unreadable");
      drifting.set({ provider }, drift.length);
      unreadable.set({ provider }, unread.length);
      last.set({ provider }, at.getTime() / 1_000);
      const reported = { provider, days: settled.length };
      for (const { day, unreadable: why } of unread)
        log.warn({ ...reported, day, why }, "a day of the provider's bill could not be compared");
      for (const { day, cells } of drift)
        log.error(
          { ...reported, day, cells: cells.filter(({ state }) => state === "drifts").slice(0, maxLogged) },
          "our usage differs from the provider's",
        );
      if (drift.length + unread.length === 0) log.info(reported, "our usage agrees with the provider's");
    },
    reconcileFailed(error) {
      failures.inc();
      log.error({ err: error }, "the comparison with providers' bills failed");
    },
  };
}
