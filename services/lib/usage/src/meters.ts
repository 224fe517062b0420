import type { ErrorCode } from "@uag/contract/errors/table";
import type { Metrics } from "@uag/runtime/metrics";
import type { HolderSession } from "./holder-session.ts";
import type { Succession } from "./succession.ts";

type Gauge = "bytes" | "unconfirmed" | "lag" | "grants" | "open" | "holder" | "waiting" | "waitingFor";

/** Admission's metrics. Labelled children are bound once because they are on the hot path. */
export class Meters {
  readonly fromMemory: { inc(): void };
  readonly fromBilling: { inc(): void };
  readonly waited: { observe(seconds: number): void };
  readonly crashed: { inc(by: number): void };
  readonly damaged: { inc(by: number): void };
  readonly #refusals: { labels(code: string): { inc(): void } };
  readonly #gauges: Record<Gauge, { set(value: number): void }>;
  #confirmedAt: number;
  #oldestSinceMs: number | undefined;

  constructor(metrics: Metrics, now: number) {
    const admitted = metrics.counter("uag_admitted_total");
    this.fromMemory = admitted.labels("memory");
    this.fromBilling = admitted.labels("billing");
    this.waited = metrics.seconds("uag_admit_wait_seconds");
    this.#refusals = metrics.counter("uag_admission_refused_total");
    this.crashed = metrics.counter("uag_crashed_requests_total");
    this.damaged = metrics.counter("uag_journal_damaged_bytes_total");
    this.#gauges = {
      bytes: metrics.gauge("uag_journal_bytes"),
      unconfirmed: metrics.gauge("uag_unconfirmed_events"),
      lag: metrics.gauge("uag_publish_lag_seconds"),
      grants: metrics.gauge("uag_grants"),
      open: metrics.gauge("uag_open_requests"),
      waiting: metrics.gauge("uag_waiting_journals"),
      waitingFor: metrics.gauge("uag_waiting_journal_seconds"),
      holder: metrics.gauge("uag_holder_open"),
    };
    this.#confirmedAt = now;
  }

  refused(code: ErrorCode): void {
    this.#refusals.labels(code).inc();
  }

  /** @param oldestSinceMs Unix milliseconds */
  waiting(journals: number, oldestSinceMs: number | undefined): void {
    this.#oldestSinceMs = oldestSinceMs;
    this.#gauges.waiting.set(journals);
  }

  sample({ current, all }: Pick<Succession, "current" | "all">, now: number): void {
    const sum = (of: (session: HolderSession) => number): number =>
      all.reduce((total, session) => total + of(session), 0);
    if (all.every(({ publisher }) => publisher.done)) this.#confirmedAt = now;
    this.#gauges.bytes.set(sum(({ journal }) => journal.bytes));
    this.#gauges.unconfirmed.set(sum(({ publisher }) => publisher.unconfirmedEvents));
    this.#gauges.lag.set((now - this.#confirmedAt) / 1_000);
    this.#gauges.grants.set(
      sum(({ accounts }) => [...accounts].reduce((n, { wallet }) => n + wallet.grants.length, 0)),
    );
    this.#gauges.open.set(sum(({ open }) => open.size));
    this.#gauges.waitingFor.set(this.#oldestSinceMs === undefined ? 0 : (Date.now() - this.#oldestSinceMs) / 1_000);
    this.#gauges.holder.set(current === undefined ? 0 : 1);
  }
}
