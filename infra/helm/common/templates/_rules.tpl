{{/* infra/prometheus/rules.yaml, written by `npm run check -- --fix`. */}}
{{- define "common.rules" -}}
{{`# Alerts for any Prometheus. Each chart's PrometheusRule contains the groups of its service, with
# service and job narrowed to that service; the fleet's chart has the groups cluster, nats and mongodb. Every alert has a
# runbook in infra/runbooks: replace the beginning of its URL by that of your copy (the charts' value runbookUrl).
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
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagProcessDown.md
      - alert: UagPodStuck
        expr: >-
          max by (namespace, pod) (kube_pod_status_phase{pod=~"uag-.+",phase="Pending"}) > 0
          or max by (namespace, pod) (time() - kube_pod_deletion_timestamp{pod=~"uag-.+"}) > 600
        for: 15m
        labels: { severity: warning }
        annotations:
          summary: "Pod {{ $labels.pod }} is pending, or terminating for too long"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagPodStuck.md
      - alert: UagProcessRestarts
        expr: >-
          changes(process_start_time_seconds{job=~"uag-.+"}[15m]) > 2
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} of {{ $labels.job }} restarts repeatedly"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagProcessRestarts.md
      - alert: UagEventLoopLate
        expr: >-
          nodejs_eventloop_lag_p99_seconds{job=~"uag-.+"} > 0.5
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "The event loop of {{ $labels.pod }} of {{ $labels.job }} is overloaded"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagEventLoopLate.md
      - alert: UagClockWrong
        expr: >-
          abs(uag_clock_skew_seconds{job=~"uag-.+"}) > 2
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "The clock of {{ $labels.pod }} of {{ $labels.job }} differs from its database's"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagClockWrong.md
      - alert: UagFilesShort
        expr: >-
          process_open_fds{job=~"uag-.+"} / process_max_fds{job=~"uag-.+"} > 0.8
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} of {{ $labels.job }} has used 80% of its file descriptors"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagFilesShort.md
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
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagErrorBudgetBurnsFast.md
      - alert: UagErrorBudgetBurns
        expr: >-
          uag:request_errors:ratio_rate6h > 6 * 0.001
          and uag:request_errors:ratio_rate30m > 6 * 0.001
        labels: { severity: critical }
        annotations:
          summary: The error rate would use up the month's error budget in five days
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagErrorBudgetBurns.md
      - alert: UagErrorBudgetBurnsSlowly
        expr: >-
          uag:request_errors:ratio_rate3d > 0.001
          and uag:request_errors:ratio_rate6h > 0.001
        labels: { severity: warning }
        annotations:
          summary: The error rate exceeds the objective
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagErrorBudgetBurnsSlowly.md
      - alert: UagFirstBytesLate
        expr: >-
          uag:first_bytes_late:ratio_rate1h > 14.4 * 0.01
          and uag:first_bytes_late:ratio_rate5m > 14.4 * 0.01
        labels: { severity: critical }
        annotations:
          summary: Slow first bytes would use up the month's latency budget in two days
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagFirstBytesLate.md
      - alert: UagFirstBytesLateOften
        expr: >-
          uag:first_bytes_late:ratio_rate6h > 6 * 0.01
          and uag:first_bytes_late:ratio_rate30m > 6 * 0.01
        labels: { severity: warning }
        annotations:
          summary: First bytes are slow more often than the objective allows
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagFirstBytesLateOften.md
  - name: capability
    rules:
      - alert: UagUsageNotConfirmed
        expr: >-
          max by (service, pod) (uag_publish_lag_seconds{service=~".+"}) > 300
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: "Metering does not confirm usage of {{ $labels.pod }} ({{ $labels.service }})"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagUsageNotConfirmed.md
      - alert: UagJournalClosed
        expr: >-
          min by (service, pod) (uag_holder_open{service=~".+"}) == 0
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: "{{ $labels.pod }} ({{ $labels.service }}) has no open journal and admits no requests"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagJournalClosed.md
      - alert: UagJournalWaits
        expr: >-
          max by (service, pod) (uag_waiting_journal_seconds{service=~".+"}) > 900
        labels: { severity: warning }
        annotations:
          summary: "A dead process's journal on the volume of {{ $labels.pod }} ({{ $labels.service }}) has not been adopted"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagJournalWaits.md
      - alert: UagJournalDamaged
        expr: >-
          increase(uag_journal_damaged_bytes_total{service=~".+"}[1h]) > 0
        labels: { severity: critical }
        annotations:
          summary: "A journal of {{ $labels.service }} contains unreadable bytes"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagJournalDamaged.md
      - alert: UagRequestsUnpriced
        expr: >-
          increase(uag_unpriced_requests_total{service=~".+"}[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: "Requests of {{ $labels.service }} cannot be priced and are charged provisionally"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagRequestsUnpriced.md
      - alert: UagCatalogRejected
        expr: >-
          max by (service) (uag_catalog_rejected{service=~".+"}) > 0
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.service }} rejects the catalogue and continues with the last valid one"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagCatalogRejected.md
      - alert: UagCostAboveHold
        expr: >-
          sum by (service, provider, model) (increase(uag_cost_above_hold_total{service=~".+"}[1h])) > 0
        labels: { severity: warning }
        annotations:
          summary: "Requests for {{ $labels.model }} at {{ $labels.provider }} cost more than their holds"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagCostAboveHold.md
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
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagProviderFails.md
      - alert: UagBuffersFull
        expr: >-
          uag_buffered_bytes{service=~".+"} / uag_buffered_limit_bytes{service=~".+"} > 0.9
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "{{ $labels.pod }} ({{ $labels.service }}) has used 90% of its buffer memory"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBuffersFull.md
  - name: billing
    rules:
      - alert: UagCostWrittenOff
        expr: >-
          increase(uag_billing_written_off_nano_usd_total[1h]) > 1e9
        labels: { severity: warning }
        annotations:
          summary: "More than 1 USD of cost was written off in an hour"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagCostWrittenOff.md
      - alert: UagReaperFails
        expr: >-
          increase(uag_billing_reap_failures_total[15m]) > 3
        labels: { severity: warning }
        annotations:
          summary: "Billing cannot reap dead processes"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagReaperFails.md
      - alert: UagCatalogDiffers
        expr: >-
          count(count_values("hash", uag_catalog_hash)) > 1
          or max(uag_catalog_version) > min(uag_catalog_version)
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Processes serve different catalogues
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagCatalogDiffers.md
      - alert: UagLedgerArchiveFails
        expr: >-
          increase(uag_ledger_archive_failures_total[1d]) > 0
        labels: { severity: warning }
        annotations:
          summary: Archiving a month of the ledger failed
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagLedgerArchiveFails.md
  - name: metering
    rules:
      - alert: UagUsageEventsDeadLettered
        expr: >-
          increase(uag_usage_dead_letter_events_total[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: Usage events were dead-lettered and are not charged
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagUsageEventsDeadLettered.md
      - alert: UagUsageDeadLetters
        expr: >-
          increase(uag_usage_dead_letters_total[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: Usage messages were moved to the dead-letter stream
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagUsageDeadLetters.md
      - alert: UagUsageForged
        expr: >-
          increase(uag_usage_forged_total[1h]) > 0
        labels: { severity: critical }
        annotations:
          summary: A usage batch has a bad signature
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagUsageForged.md
      - alert: UagStreamGrows
        expr: >-
          max by (service) (uag_stream_messages) > 10000 and max by (service) (delta(uag_stream_messages[15m])) > 0
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Usage arrives faster than metering applies it
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagStreamGrows.md
      - alert: UagArchiveFails
        expr: >-
          increase(uag_usage_archive_failures_total[1d]) > 0
        labels: { severity: warning }
        annotations:
          summary: Archiving a month of usage events failed
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagArchiveFails.md
  - name: auditor
    rules:
      - alert: UagBooksNotExact
        expr: >-
          min(uag_audit_exact) == 0
        labels: { severity: critical }
        annotations:
          summary: The ledger does not add up
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBooksNotExact.md
      - alert: UagAuditMissing
        expr: >-
          absent(uag_audit_exact)
        for: 30m
        labels: { severity: warning }
        annotations:
          summary: No auditor has reported a result for 30 minutes
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagAuditMissing.md
      - alert: UagAuditLate
        expr: >-
          max(uag_audit_lag_seconds) > 7200
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: The last completed audit is more than two hours old
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagAuditLate.md
      - alert: UagBillDrifts
        expr: >-
          max by (provider) (uag_reconcile_drifting_days) > 0
        labels: { severity: warning }
        annotations:
          summary: "Metered usage differs from the report of {{ $labels.provider }}"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBillDrifts.md
      - alert: UagBillUnreadable
        expr: >-
          max by (provider) (uag_reconcile_unreadable_days) > 0
        labels: { severity: warning }
        annotations:
          summary: "The usage reports of {{ $labels.provider }} cannot be read"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBillUnreadable.md
      - alert: UagBillNotCompared
        expr: >-
          time() - max by (provider) (uag_reconcile_last_run_timestamp_seconds) > 180000
        labels: { severity: warning }
        annotations:
          summary: "Usage of {{ $labels.provider }} has not been compared for two days"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBillNotCompared.md
  - name: video
    rules:
      - alert: UagTasksAmbiguous
        expr: >-
          increase(uag_video_recovered_total{found="false"}[1h]) > 0
        labels: { severity: warning }
        annotations:
          summary: A provider may have created a video that no client receives
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagTasksAmbiguous.md
      - alert: UagVideoBillsWait
        expr: >-
          increase(uag_video_settle_failures_total[15m]) > 10
        labels: { severity: warning }
        annotations:
          summary: Finished videos cannot be settled
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagVideoBillsWait.md
      - alert: UagUrlFetchesRefused
        expr: >-
          sum(increase(uag_url_fetches_refused_total[1h])) > 100
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for fetched URLs
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagUrlFetchesRefused.md
      - alert: UagInvitationsRefused
        expr: >-
          sum(increase(uag_console_invitations_refused_total[1h])) > 20
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for invitations
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagInvitationsRefused.md
  - name: notifications
    rules:
      - alert: UagWebhooksFail
        expr: >-
          sum(rate(uag_notification_attempts_total{outcome=~"failed|given_up"}[1h])) / sum(rate(uag_notification_attempts_total[1h])) > 0.5
        for: 30m
        labels: { severity: warning }
        annotations:
          summary: Most webhook and email deliveries fail
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagWebhooksFail.md
      - alert: UagMessagesRefused
        expr: >-
          sum by (kind) (increase(uag_notifications_refused_total[1h])) > 100
        labels: { severity: warning }
        annotations:
          summary: Accounts exceed their budgets for emails or webhook calls
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagMessagesRefused.md
  - name: cluster
    rules:
      - alert: UagVolumeFills
        expr: >-
          min by (namespace, persistentvolumeclaim) (
            kubelet_volume_stats_available_bytes{persistentvolumeclaim=~".+-uag-.+"}
            / kubelet_volume_stats_capacity_bytes{persistentvolumeclaim=~".+-uag-.+"}
          ) < 0.15
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: "The volume {{ $labels.persistentvolumeclaim }} is 85% full"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagVolumeFills.md
      - alert: UagCertificateExpires
        expr: >-
          min by (namespace, name) (certmanager_certificate_expiration_timestamp_seconds{name=~"uag-.+"}) - time() < 1209600
        for: 1h
        labels: { severity: critical }
        annotations:
          summary: "The certificate {{ $labels.name }} expires in less than 14 days and was not renewed"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagCertificateExpires.md
      - alert: UagBackupMissing
        expr: >-
          time() - max by (namespace, cronjob) (kube_cronjob_status_last_successful_time{cronjob=~"uag-backup.*"}) > 93600
          or (
            time() - max by (namespace, cronjob) (kube_cronjob_created{cronjob=~"uag-backup.*"}) > 93600
            unless max by (namespace, cronjob) (kube_cronjob_status_last_successful_time{cronjob=~"uag-backup.*"})
          )
        labels: { severity: critical }
        annotations:
          summary: "The last successful backup by {{ $labels.cronjob }} is more than 26 hours old"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagBackupMissing.md
  - name: nats
    rules:
      - alert: UagNatsUnhealthy
        expr: >-
          min by (instance, server_id) (gnatsd_healthz_status_value) == 0
        for: 2m
        labels: { severity: critical }
        annotations:
          summary: "The NATS server {{ $labels.server_id }} is not healthy"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagNatsUnhealthy.md
      - alert: UagJetStreamFills
        expr: >-
          max by (server_name) (jetstream_server_total_message_bytes / (jetstream_server_max_storage > 0)) > 0.8
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: "JetStream on {{ $labels.server_name }} has used 80% of its storage"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagJetStreamFills.md
  - name: mongodb
    rules:
      - alert: UagMongoMemberDown
        expr: >-
          min by (member_idx) (mongodb_rs_members_health) == 0
          or min by (instance) (mongodb_up) == 0
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: "A member of MongoDB is down: {{ $labels.member_idx }}{{ $labels.instance }}"
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagMongoMemberDown.md
      - alert: UagMongoNoPrimary
        expr: >-
          count(mongodb_rs_members_state) > 0 unless count(mongodb_rs_members_state == 1) > 0
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: MongoDB has no primary
          runbook_url: https://git.example.com/ai/gateway/blob/main/infra/runbooks/UagMongoNoPrimary.md
`}}
{{- end }}
