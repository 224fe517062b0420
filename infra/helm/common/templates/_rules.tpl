{{/* infra/prometheus/rules.yaml, written by `npm run check -- --fix`. */}}
{{- define "common.rules" -}}
{{`# Alerts for any Prometheus. Each chart's PrometheusRule contains the groups of its service, with
# service and job narrowed to that service. Every alert has a runbook in infra/runbooks.
# "npm run metrics" checks and tests the rules.
groups:
  - name: process
    rules:
      - alert: UagProcessDown
        expr: >-
          up{job=~"uag-.+"} == 0
        for: 2m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} of {{ $labels.job }} does not respond"
          runbook: infra/runbooks/UagProcessDown.md
      - alert: UagPodStuck
        expr: >-
          max by (namespace, pod) (kube_pod_status_phase{pod=~"uag-.+",phase="Pending"}) > 0
          or max by (namespace, pod) (time() - kube_pod_deletion_timestamp{pod=~"uag-.+"}) > 600
        for: 15m
        labels: { severity: warning }
        annotations:
          summary: "Pod {{ $labels.pod }} is pending, or terminating for too long"
          runbook: infra/runbooks/UagPodStuck.md
      - alert: UagProcessRestarts
        expr: >-
          changes(process_start_time_seconds{job=~"uag-.+"}[15m]) > 2
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} of {{ $labels.job }} restarts repeatedly"
          runbook: infra/runbooks/UagProcessRestarts.md
      - alert: UagEventLoopLate
        expr: >-
          nodejs_eventloop_lag_p99_seconds{job=~"uag-.+"} > 0.5
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "The event loop of {{ $labels.pod }} of {{ $labels.job }} is overloaded"
          runbook: infra/runbooks/UagEventLoopLate.md
      - alert: UagClockWrong
        expr: >-
          abs(uag_clock_skew_seconds{job=~"uag-.+"}) > 2
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "The clock of {{ $labels.pod }} of {{ $labels.job }} differs from its database's"
          runbook: infra/runbooks/UagClockWrong.md
      - alert: UagFilesShort
        expr: >-
          process_open_fds{job=~"uag-.+"} / process_max_fds{job=~"uag-.+"} > 0.8
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} of {{ $labels.job }} has used 80% of its file descriptors"
          runbook: infra/runbooks/UagFilesShort.md
  - name: router
    rules:
      - record: uag:request_errors:ratio_rate5m
        expr: >-
          sum(rate(uag_requests_total{status=~"5..",operation!~"none|admin[.].+"}[5m]))
          / sum(rate(uag_requests_total{operation!~"none|admin[.].+"}[5m]))
      - record: uag:request_errors:ratio_rate30m
        expr: >-
          sum(rate(uag_requests_total{status=~"5..",operation!~"none|admin[.].+"}[30m]))
          / sum(rate(uag_requests_total{operation!~"none|admin[.].+"}[30m]))
      - record: uag:request_errors:ratio_rate1h
        expr: >-
          sum(rate(uag_requests_total{status=~"5..",operation!~"none|admin[.].+"}[1h]))
          / sum(rate(uag_requests_total{operation!~"none|admin[.].+"}[1h]))
      - record: uag:request_errors:ratio_rate6h
        expr: >-
          sum(rate(uag_requests_total{status=~"5..",operation!~"none|admin[.].+"}[6h]))
          / sum(rate(uag_requests_total{operation!~"none|admin[.].+"}[6h]))
      - record: uag:request_errors:ratio_rate3d
        expr: >-
          sum(rate(uag_requests_total{status=~"5..",operation!~"none|admin[.].+"}[3d]))
          / sum(rate(uag_requests_total{operation!~"none|admin[.].+"}[3d]))
      - record: uag:first_bytes_late:ratio_rate5m
        expr: >-
          1 - sum(rate(uag_first_byte_seconds_bucket{le="10"}[5m]))
          / sum(rate(uag_first_byte_seconds_count[5m]))
      - record: uag:first_bytes_late:ratio_rate30m
        expr: >-
          1 - sum(rate(uag_first_byte_seconds_bucket{le="10"}[30m]))
          / sum(rate(uag_first_byte_seconds_count[30m]))
      - record: uag:first_bytes_late:ratio_rate1h
        expr: >-
          1 - sum(rate(uag_first_byte_seconds_bucket{le="10"}[1h]))
          / sum(rate(uag_first_byte_seconds_count[1h]))
      - record: uag:first_bytes_late:ratio_rate6h
        expr: >-
          1 - sum(rate(uag_first_byte_seconds_bucket{le="10"}[6h]))
          / sum(rate(uag_first_byte_seconds_count[6h]))
      - alert: UagErrorBudgetBurnsFast
        expr: >-
          uag:request_errors:ratio_rate1h > 14.4 * 0.001
          and uag:request_errors:ratio_rate5m > 14.4 * 0.001
        labels: { severity: critical }
        annotations:
          summary: The error rate would use up the month's error budget in two days
          runbook: infra/runbooks/UagErrorBudgetBurnsFast.md
      - alert: UagErrorBudgetBurns
        expr: >-
          uag:request_errors:ratio_rate6h > 6 * 0.001
          and uag:request_errors:ratio_rate30m > 6 * 0.001
        labels: { severity: critical }
        annotations:
          summary: The error rate would use up the month's error budget in five days
          runbook: infra/runbooks/UagErrorBudgetBurns.md
      - alert: UagErrorBudgetBurnsSlowly
        expr: >-
          uag:request_errors:ratio_rate3d > 0.001
          and uag:request_errors:ratio_rate6h > 0.001
        labels: { severity: warning }
        annotations:
          summary: The error rate exceeds the objective
          runbook: infra/runbooks/UagErrorBudgetBurnsSlowly.md
      - alert: UagFirstBytesLate
        expr: >-
          uag:first_bytes_late:ratio_rate1h > 14.4 * 0.01
          and uag:first_bytes_late:ratio_rate5m > 14.4 * 0.01
        labels: { severity: critical }
        annotations:
          summary: Slow first bytes would use up the month's latency budget in two days
          runbook: infra/runbooks/UagFirstBytesLate.md
      - alert: UagFirstBytesLateOften
        expr: >-
          uag:first_bytes_late:ratio_rate6h > 6 * 0.01
          and uag:first_bytes_late:ratio_rate30m > 6 * 0.01
        labels: { severity: warning }
        annotations:
          summary: First bytes are slow more often than the objective allows
          runbook: infra/runbooks/UagFirstBytesLateOften.md
  - name: capability
    rules:
      - alert: UagUsageNotConfirmed
        expr: >-
          max by (service, pod) (uag_publish_lag_seconds{service=~".+"}) > 300
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: "Metering does not confirm usage of {{ $labels.pod }} ({{ $labels.service }})"
          runbook: infra/runbooks/UagUsageNotConfirmed.md
      - alert: UagJournalClosed
        expr: >-
          min by (service, pod) (uag_holder_open{service=~".+"}) == 0
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: "{{ $labels.pod }} ({{ $labels.service }}) has no open journal and admits no requests"
          runbook: infra/runbooks/UagJournalClosed.md
      - alert: UagJournalWaits
        expr: >-
          max by (service, pod) (uag_waiting_journal_seconds{service=~".+"}) > 900
        labels: { severity: warning }
        annotations:
          summary: "A dead process's journal on the volume of {{ $labels.pod }} ({{ $labels.service }}) has not been adopted"
          runbook: infra/runbooks/UagJournalWaits.md
      - alert: UagJournalDamaged
        expr: >-
          increase(uag_journal_damaged_bytes_total{service=~".+"}[1h]) > 0
        labels: { severity: critical }
        annotations:
          summary: "A journal of {{ $labels.service }} contains unreadable bytes"
          runbook: infra/runbooks/UagJournalDamaged.md
      - alert: UagRequestsUnpriced
        expr: >-
          increase(uag_unpriced_requests_total{service=~".+"}[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: "Requests of {{ $labels.service }} cannot be priced and are charged provisionally"
          runbook: infra/runbooks/UagRequestsUnpriced.md
      - alert: UagCatalogRejected
        expr: >-
          max by (service) (uag_catalog_rejected{service=~".+"}) > 0
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.service }} rejects the catalogue and continues with the last valid one"
          runbook: infra/runbooks/UagCatalogRejected.md
      - alert: UagCostAboveHold
        expr: >-
          sum by (service, provider, model) (increase(uag_cost_above_hold_total{service=~".+"}[1h])) > 0
        labels: { severity: warning }
        annotations:
          summary: "Requests for {{ $labels.model }} at {{ $labels.provider }} cost more than their holds"
          runbook: infra/runbooks/UagCostAboveHold.md
      - alert: UagProviderFails
        expr: >-
          (
            sum by (service, provider) (rate(uag_upstream_failures_total{service=~".+",kind!~"client|cancelled|busy"}[10m]))
            / (
              sum by (service, provider) (rate(uag_upstream_failures_total{service=~".+",kind!~"client|cancelled|busy"}[10m]))
              + sum by (service, provider) (rate(uag_upstream_responses_total{service=~".+"}[10m]))
            )
          ) > 0.5
          or (
            sum by (service, provider) (rate(uag_upstream_failures_total{service=~".+",kind!~"client|cancelled|busy"}[10m])) > 0
            unless sum by (service, provider) (rate(uag_upstream_responses_total{service=~".+"}[10m])) > 0
          )
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: "Most calls of {{ $labels.service }} to {{ $labels.provider }} fail"
          runbook: infra/runbooks/UagProviderFails.md
      - alert: UagBuffersFull
        expr: >-
          uag_buffered_bytes{service=~".+"} / uag_buffered_limit_bytes{service=~".+"} > 0.9
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} ({{ $labels.service }}) has used 90% of its buffer memory"
          runbook: infra/runbooks/UagBuffersFull.md
  - name: billing
    rules:
      - alert: UagCostWrittenOff
        expr: >-
          increase(uag_billing_written_off_nano_usd_total[1h]) > 1e9
        labels: { severity: warning }
        annotations:
          summary: "More than 1 USD of cost was written off in an hour"
          runbook: infra/runbooks/UagCostWrittenOff.md
      - alert: UagReaperFails
        expr: >-
          increase(uag_billing_reap_failures_total[15m]) > 3
        labels: { severity: warning }
        annotations:
          summary: "Billing cannot reap dead processes"
          runbook: infra/runbooks/UagReaperFails.md
      - alert: UagCatalogDiffers
        expr: >-
          count(count_values("hash", uag_catalog_hash)) > 1
          or max(uag_catalog_version) > min(uag_catalog_version)
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Processes serve different catalogues
          runbook: infra/runbooks/UagCatalogDiffers.md
      - alert: UagLedgerArchiveFails
        expr: >-
          increase(uag_ledger_archive_failures_total[1d]) > 0
        labels: { severity: warning }
        annotations:
          summary: Archiving a month of the ledger failed
          runbook: infra/runbooks/UagLedgerArchiveFails.md
  - name: metering
    rules:
      - alert: UagUsageEventsDeadLettered
        expr: >-
          increase(uag_usage_dead_letter_events_total[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: Usage events were dead-lettered and are not charged
          runbook: infra/runbooks/UagUsageEventsDeadLettered.md
      - alert: UagUsageDeadLetters
        expr: >-
          increase(uag_usage_dead_letters_total[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: Usage messages were moved to the dead-letter stream
          runbook: infra/runbooks/UagUsageDeadLetters.md
      - alert: UagUsageForged
        expr: >-
          increase(uag_usage_forged_total[1h]) > 0
        labels: { severity: critical }
        annotations:
          summary: A usage batch has a bad signature
          runbook: infra/runbooks/UagUsageForged.md
      - alert: UagStreamGrows
        expr: >-
          max by (service) (uag_stream_messages) > 10000 and max by (service) (delta(uag_stream_messages[15m])) > 0
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Usage arrives faster than metering applies it
          runbook: infra/runbooks/UagStreamGrows.md
      - alert: UagArchiveFails
        expr: >-
          increase(uag_usage_archive_failures_total[1d]) > 0
        labels: { severity: warning }
        annotations:
          summary: Archiving a month of usage events failed
          runbook: infra/runbooks/UagArchiveFails.md
  - name: auditor
    rules:
      - alert: UagBooksNotExact
        expr: >-
          min(uag_audit_exact) == 0
        labels: { severity: critical }
        annotations:
          summary: The ledger does not add up
          runbook: infra/runbooks/UagBooksNotExact.md
      - alert: UagAuditMissing
        expr: >-
          absent(uag_audit_exact)
        for: 30m
        labels: { severity: warning }
        annotations:
          summary: No auditor has reported a result for 30 minutes
          runbook: infra/runbooks/UagAuditMissing.md
      - alert: UagAuditLate
        expr: >-
          max(uag_audit_lag_seconds) > 7200
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: The last completed audit is more than two hours old
          runbook: infra/runbooks/UagAuditLate.md
      - alert: UagBillDrifts
        expr: >-
          max by (provider) (uag_reconcile_drifting_days) > 0
        labels: { severity: warning }
        annotations:
          summary: "Metered usage differs from the report of {{ $labels.provider }}"
          runbook: infra/runbooks/UagBillDrifts.md
      - alert: UagBillUnreadable
        expr: >-
          max by (provider) (uag_reconcile_unreadable_days) > 0
        labels: { severity: warning }
        annotations:
          summary: "The usage reports of {{ $labels.provider }} cannot be read"
          runbook: infra/runbooks/UagBillUnreadable.md
      - alert: UagBillNotCompared
        expr: >-
          time() - max by (provider) (uag_reconcile_last_run_timestamp_seconds) > 180000
        labels: { severity: warning }
        annotations:
          summary: "Usage of {{ $labels.provider }} has not been compared for two days"
          runbook: infra/runbooks/UagBillNotCompared.md
  - name: video
    rules:
      - alert: UagTasksAmbiguous
        expr: >-
          increase(uag_video_recovered_total{found="false"}[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: A provider may have created a video that no client receives
          runbook: infra/runbooks/UagTasksAmbiguous.md
      - alert: UagVideoBillsWait
        expr: >-
          increase(uag_video_settle_failures_total[15m]) > 10
        labels: { severity: warning }
        annotations:
          summary: Finished videos cannot be settled
          runbook: infra/runbooks/UagVideoBillsWait.md
      - alert: UagUrlFetchesRefused
        expr: >-
          sum(increase(uag_url_fetches_refused_total[1h])) > 100
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for fetched URLs
          runbook: infra/runbooks/UagUrlFetchesRefused.md
      - alert: UagInvitationsRefused
        expr: >-
          sum(increase(uag_console_invitations_refused_total[1h])) > 20
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for invitations
          runbook: infra/runbooks/UagInvitationsRefused.md
  - name: notifications
    rules:
      - alert: UagWebhooksFail
        expr: >-
          sum(rate(uag_notification_attempts_total{outcome=~"failed|given_up"}[1h])) / sum(rate(uag_notification_attempts_total[1h])) > 0.5
        for: 30m
        labels: { severity: warning }
        annotations:
          summary: Most webhook and email deliveries fail
          runbook: infra/runbooks/UagWebhooksFail.md
      - alert: UagMessagesRefused
        expr: >-
          sum by (kind) (increase(uag_notifications_refused_total[1h])) > 100
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for emails or webhook calls
          runbook: infra/runbooks/UagMessagesRefused.md
`}}
{{- end }}
