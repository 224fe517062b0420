import { rowsOf } from "./row.ts";

const capability = rowsOf("capability", "money");
const volume = rowsOf("capability", "capacity");
const billing = rowsOf("billing", "money");
const metering = rowsOf("metering", "money");
const stream = rowsOf("metering", "capacity");
const auditor = rowsOf("auditor", "money");

const auditKinds = ["incremental", "whole"] as const;

/** What is exported of what requests cost, on its way from a service's journal to the ledger. */
export const usageMetrics = {
  uag_usage_units_total: capability.counter("What admitted requests used, by the unit it is priced in.", {
    unit: "unit",
  }),
  uag_cost_nano_usd_total: capability.counter("What admitted requests cost, as their service reckoned it."),
  uag_estimated_requests_total: capability.counter("Requests that are billed by an estimate."),
  uag_unpriced_requests_total: capability.counter(
    "Requests whose usage cannot be priced: charged provisionally until a person repairs them.",
  ),
  uag_unpriced_units_total: capability.counter("Reports of usage in a unit that has no price.", {
    provider: "provider",
    model: "model",
    counter: "counter",
  }),
  uag_cost_above_hold_total: capability.counter("Requests that cost more than was held for them.", {
    provider: "provider",
    model: "model",
  }),
  uag_refused_unpriced_requests_total: capability.counter("Requests refused because the catalogue has no price."),
  uag_crashed_requests_total: capability.counter("Requests whose process died before their end."),
  uag_open_requests: capability.gauge("Requests that are admitted and not settled: holds that are open."),
  uag_grants: capability.gauge("Grants of money that are held."),
  uag_unconfirmed_events: capability.gauge("Usage events in the journal that metering has not confirmed."),
  uag_publish_lag_seconds: capability.gauge("How long usage has waited to be confirmed by metering."),
  uag_holder_open: capability.gauge("1 while the process has a journal open and may admit, else 0."),
  uag_waiting_journals: capability.gauge("Journals of dead processes on this volume that are not delivered yet."),
  uag_waiting_journal_seconds: capability.gauge("How long the oldest of them has waited."),
  uag_journal_damaged_bytes_total: capability.counter("Bytes of the journal that could not be read."),
  uag_journal_bytes: volume.gauge("Size of the journals."),

  uag_usage_batches_total: metering.counter("Batches of usage that were applied."),
  uag_usage_events_total: metering.counter("Usage events that were received.", { kind: ["new", "repeated"] }),
  uag_usage_conflicts_total: metering.counter("Requests that have two different ends."),
  uag_usage_dead_letters_total: metering.counter("Messages that were moved to the dead-letter stream."),
  uag_usage_forged_total: metering.counter("Batches whose publisher was not who it said."),
  uag_usage_buried_events_total: metering.counter("Events that could not be applied and wait for a person."),
  uag_usage_archived_events_total: metering.counter("Usage events that were archived and dropped."),
  uag_usage_archive_failures_total: metering.counter("Archivings that failed."),
  uag_spend_alerts_total: metering.counter("Times that people were told of a spend alert's thresholds."),
  uag_spend_alert_failures_total: metering.counter("Looks at spend alerts that failed; they are repeated."),
  uag_usage_partitions: stream.gauge("Partitions of usage that the process works on."),
  uag_stream_messages: stream.gauge("Messages that wait in JetStream to be applied, as of five seconds ago."),
} as const;

/** What is exported of the ledger and of its audits. */
export const ledgerMetrics = {
  uag_billing_settled_total: billing.counter("Usage events that were settled.", { outcome: ["new", "duplicate"] }),
  uag_billing_charged_nano_usd_total: billing.counter("Money that was charged."),
  uag_billing_written_off_nano_usd_total: billing.counter("Cost that no money covered."),
  uag_billing_write_offs_total: billing.counter("Events whose cost was not covered in full."),
  uag_billing_late_settles_total: billing.counter("Events that were settled after their grant was gone."),
  uag_billing_unpriced_total: billing.counter(
    "Events that are charged provisionally because their usage cannot be priced yet.",
  ),
  uag_billing_repaired_total: billing.counter("Events without a price that were priced and corrected later."),
  uag_billing_refunded_nano_usd_total: billing.counter("Provisional charges that repairs returned."),
  uag_billing_top_ups_total: billing.counter("Top-ups and corrections that were booked."),
  uag_billing_negative_balance_attempts_total: billing.counter("Corrections refused: they took more than there is."),
  uag_billing_key_changes_total: billing.counter("Changes of API keys.", {
    change: ["created", "updated", "regenerated", "revoked"],
  }),
  uag_billing_admin_token_changes_total: billing.counter("Changes of admin tokens.", {
    change: ["created", "revoked"],
  }),
  uag_billing_acquires_total: billing.counter("Calls for grants.", { outcome: ["granted", "insufficient"] }),
  uag_billing_granted_nano_usd_total: billing.counter("Money that was moved aside in grants."),
  uag_billing_returned_nano_usd_total: billing.counter("Money that holders gave back."),
  uag_billing_recalls_total: billing.counter("Times that holders were asked to return what is unspent."),
  uag_billing_released_grants_total: billing.counter("Grants that were taken back.", {
    why: ["holder gone", "holder closed", "overdue"],
  }),
  uag_billing_orphaned_holders_total: billing.counter("Holders whose lease ran out."),
  uag_billing_fenced_calls_total: billing.counter("Calls of holders that are fenced."),
  uag_billing_audit_violations: billing.gauge("Broken invariants that billing's last own audit found."),
  uag_billing_transactions_total: billing.counter("Transactions that were committed."),
  uag_billing_transaction_retries_total: billing.counter("Transactions that had to run again."),
  uag_billing_abandoned_transactions_total: billing.counter("Transactions of dead processes that were ended."),
  uag_billing_pruned_grants_total: billing.counter("Ended grants that were deleted."),
  uag_ledger_archived_rows_total: billing.counter("Rows of the ledger that were archived; they stay in it."),
  uag_ledger_archive_failures_total: billing.counter("Archivings of the ledger that failed."),
  uag_billing_reap_failures_total: billing.counter("Rounds of the reaper that failed."),

  uag_audit_exact: auditor.gauge("1: the last audit found no fault, 0: it did. Not there before the first verdict."),
  uag_audit_faults: auditor.gauge("Faults that the last audit found."),
  uag_audit_last_run_timestamp_seconds: auditor.gauge("The moment that the last audit looked at.", {
    kind: auditKinds,
  }),
  uag_audit_rows_total: auditor.counter("Rows that audits have read.", { kind: auditKinds }),
  uag_audit_seconds: auditor.histogram("How long audits took.", { kind: auditKinds }),
  uag_audit_fallbacks_total: auditor.counter("Accounts read from their first row for want of a checkpoint.", {
    why: ["missing", "forged", "unknown_key"],
  }),
  uag_audit_failures_total: auditor.counter("Audits that did not get to an end."),
  uag_audit_lag_seconds: auditor.gauge("How old what is known of the books is."),

  uag_reconcile_drifting_days: auditor.gauge("Recent settled days whose usage or cost differs from the provider's.", {
    provider: "provider",
  }),
  uag_reconcile_unreadable_days: auditor.gauge("Recent settled days that could not be compared with the provider's.", {
    provider: "provider",
  }),
  uag_reconcile_last_run_timestamp_seconds: auditor.gauge("When usage was last compared with the provider's.", {
    provider: "provider",
  }),
  uag_reconcile_failures_total: auditor.counter("Comparisons with providers' bills that failed."),
} as const;
