import { rowsOf } from "./row.ts";

const capability = rowsOf("capability", "money");
const volume = rowsOf("capability", "capacity");
const billing = rowsOf("billing", "money");
const metering = rowsOf("metering", "money");
const stream = rowsOf("metering", "capacity");
const auditor = rowsOf("auditor", "money");

const auditKinds = ["incremental", "whole"] as const;

/** Metrics of usage and cost on the way from a service's journal to the ledger. */
export const usageMetrics = {
  uag_usage_units_total: capability.counter("Usage of admitted requests, by price unit.", {
    unit: "unit",
  }),
  uag_cost_nano_usd_total: capability.counter("Cost of admitted requests, as computed by their service."),
  uag_estimated_requests_total: capability.counter("Requests billed by estimate."),
  uag_unpriced_requests_total: capability.counter(
    "Requests whose usage cannot be priced; charged provisionally until an operator repairs them.",
  ),
  uag_unpriced_units_total: capability.counter("Provider usage reports in a unit without a price.", {
    provider: "provider",
    model: "model",
    counter: "counter",
  }),
  uag_cost_above_hold_total: capability.counter("Requests that cost more than their hold.", {
    provider: "provider",
    model: "model",
  }),
  uag_refused_unpriced_requests_total: capability.counter("Requests rejected because the catalogue has no price."),
  uag_crashed_requests_total: capability.counter("Requests whose process died before they ended."),
  uag_open_requests: capability.gauge("Admitted requests that are not settled yet (open holds)."),
  uag_grants: capability.gauge("Money grants that the process holds."),
  uag_unconfirmed_events: capability.gauge("Usage events in the journal that metering has not confirmed."),
  uag_publish_lag_seconds: capability.gauge("Age of the oldest usage event that metering has not confirmed."),
  uag_holder_open: capability.gauge("1 if the process has an open journal and can admit requests, otherwise 0."),
  uag_waiting_journals: capability.gauge("Journals of dead processes on this volume that are not delivered yet."),
  uag_waiting_journal_seconds: capability.gauge("Age of the oldest journal in uag_waiting_journals."),
  uag_journal_damaged_bytes_total: capability.counter("Journal bytes that could not be read."),
  uag_journal_bytes: volume.gauge("Size of the journals."),

  uag_usage_batches_total: metering.counter("Usage batches applied."),
  uag_usage_events_total: metering.counter("Usage events received.", { kind: ["new", "repeated"] }),
  uag_usage_conflicts_total: metering.counter("Requests with two different terminal events."),
  uag_usage_dead_letters_total: metering.counter("Messages moved to the dead-letter stream."),
  uag_usage_forged_total: metering.counter("Batches with a bad signature."),
  uag_usage_dead_letter_events_total: metering.counter("Events dead-lettered because they could not be applied."),
  uag_usage_archived_events_total: metering.counter("Usage events archived and removed from the database."),
  uag_usage_archive_failures_total: metering.counter("Failed archive runs."),
  uag_spend_alerts_total: metering.counter("Spend alert thresholds reported to recipients."),
  uag_spend_alert_failures_total: metering.counter("Failed evaluations of spend alerts; metering retries them."),
  uag_usage_partitions: stream.gauge("Usage partitions assigned to the process."),
  uag_stream_messages: stream.gauge("Messages pending in JetStream, sampled every five seconds."),
} as const;

/** Metrics of the ledger and its audits. */
export const ledgerMetrics = {
  uag_billing_settled_total: billing.counter("Usage events settled.", { outcome: ["new", "duplicate"] }),
  uag_billing_charged_nano_usd_total: billing.counter("Money charged."),
  uag_billing_written_off_nano_usd_total: billing.counter("Cost written off because no balance covered it."),
  uag_billing_write_offs_total: billing.counter("Events whose cost was partly or fully written off."),
  uag_billing_late_settles_total: billing.counter("Events settled after their grant was released."),
  uag_billing_unpriced_total: billing.counter("Events charged provisionally because their usage could not be priced."),
  uag_billing_repaired_total: billing.counter("Unpriced events that were priced and corrected later."),
  uag_billing_refunded_nano_usd_total: billing.counter("Provisional charges refunded by repairs."),
  uag_billing_top_ups_total: billing.counter("Top-ups and corrections booked."),
  uag_billing_negative_balance_attempts_total: billing.counter("Corrections rejected because they exceed the balance."),
  uag_billing_key_changes_total: billing.counter("API key changes.", {
    change: ["created", "updated", "regenerated", "revoked"],
  }),
  uag_billing_admin_token_changes_total: billing.counter("Admin token changes.", {
    change: ["created", "revoked"],
  }),
  uag_billing_acquires_total: billing.counter("Grant requests.", { outcome: ["granted", "insufficient"] }),
  uag_billing_granted_nano_usd_total: billing.counter("Money set aside in grants."),
  uag_billing_returned_nano_usd_total: billing.counter("Money returned by holders."),
  uag_billing_recalls_total: billing.counter("Recalls of unspent money from holders."),
  uag_billing_released_grants_total: billing.counter("Grants released.", {
    why: ["holder gone", "holder closed", "overdue"],
  }),
  uag_billing_orphaned_holders_total: billing.counter("Holders whose lease expired."),
  uag_billing_fenced_calls_total: billing.counter("Calls from fenced holders."),
  uag_billing_audit_violations: billing.gauge("Invariant violations found by billing's last audit."),
  uag_billing_transactions_total: billing.counter("Transactions committed."),
  uag_billing_transaction_retries_total: billing.counter("Transaction retries."),
  uag_billing_abandoned_transactions_total: billing.counter("Transactions of dead processes that were aborted."),
  uag_billing_pruned_grants_total: billing.counter("Ended grants deleted."),
  uag_ledger_archived_rows_total: billing.counter("Ledger rows archived; they also stay in the ledger."),
  uag_ledger_archive_failures_total: billing.counter("Failed ledger archive runs."),
  uag_billing_reap_failures_total: billing.counter("Failed reaper rounds."),

  uag_audit_exact: auditor.gauge(
    "1 if the last audit found no fault, otherwise 0. Absent before the first audit completes.",
  ),
  uag_audit_faults: auditor.gauge("Faults found by the last audit."),
  uag_audit_last_run_timestamp_seconds: auditor.gauge("Time up to which the last audit checked the ledger.", {
    kind: auditKinds,
  }),
  uag_audit_rows_total: auditor.counter("Ledger rows read by audits.", { kind: auditKinds }),
  uag_audit_seconds: auditor.histogram("Audit duration.", { kind: auditKinds }),
  uag_audit_fallbacks_total: auditor.counter(
    "Accounts audited from their first row because no usable checkpoint exists.",
    {
      why: ["missing", "forged", "unknown_key"],
    },
  ),
  uag_audit_failures_total: auditor.counter("Failed audits."),
  uag_audit_lag_seconds: auditor.gauge("Age of the last completed audit."),

  uag_reconcile_drifting_days: auditor.gauge(
    "Recent settled days whose usage or cost differs from the provider's report.",
    {
      provider: "provider",
    },
  ),
  uag_reconcile_unreadable_days: auditor.gauge(
    "Recent settled days that could not be compared with the provider's report.",
    {
      provider: "provider",
    },
  ),
  uag_reconcile_last_run_timestamp_seconds: auditor.gauge("Time of the last comparison with the provider's report.", {
    provider: "provider",
  }),
  uag_reconcile_failures_total: auditor.counter("Failed comparisons with providers' bills."),
} as const;
