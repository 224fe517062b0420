import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import { outcomeToJSON, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** Metering's events, each logged and counted in one place. */
export interface MeteringEvents {
  applied(batches: number, events: number, repeated: number): void;
  /** A request has two different terminal events; the stored one counts. */
  conflict(event: UsageEvent, storedOutcome: string): void;
  buried(reason: string, batchId: string): void;
  /** A buried batch was not from the publisher it claimed. */
  forged(): void;
  /** One event of a batch cannot be applied; the others are. */
  eventBuried(requestId: string, reason: string, batchId: string): void;
  /** A buried event was corrected and applied. */
  unburied(id: string): void;
  /** A month's events were moved from the database to a file. */
  archived(part: { month: string; key: string; rows: bigint; bytes: bigint }): void;
  archiveFailed(error: unknown): void;
  /** People are told of a threshold that is reached. */
  alerted(detail: { alert: string; account: string; threshold: number; messages: number }): void;
  /** Spend alerts could not be evaluated; they are evaluated again soon. */
  alertFailed(error: unknown): void;
  waiting(error: unknown): void;
  streamMade(name: string): void;
  /** The set of metering processes changed, and this process now owns that many partitions. */
  membership(members: number, partitions: number): void;
}

export function createEvents(log: Logger, metrics: Metrics): MeteringEvents {
  const batches = metrics.counter("uag_usage_batches_total");
  const events = metrics.counter("uag_usage_events_total");
  const fresh = events.labels("new");
  const again = events.labels("repeated");
  const conflicts = metrics.counter("uag_usage_conflicts_total");
  const dead = metrics.counter("uag_usage_dead_letters_total");
  const forged = metrics.counter("uag_usage_forged_total");
  const lost = metrics.counter("uag_usage_buried_events_total");
  const owned = metrics.gauge("uag_usage_partitions");
  const archivedRows = metrics.counter("uag_usage_archived_events_total");
  const archiveFailures = metrics.counter("uag_usage_archive_failures_total");
  const alerts = metrics.counter("uag_spend_alerts_total");
  const alertFailures = metrics.counter("uag_spend_alert_failures_total");
  return {
    applied(batchCount, eventCount, repeated) {
      batches.inc(batchCount);
      fresh.inc(eventCount - repeated);
      again.inc(repeated);
      log.debug({ batches: batchCount, events: eventCount, repeated }, "usage applied");
    },
    conflict(event, stored) {
      conflicts.inc();
      const late = outcomeToJSON(event.outcome);
      log.warn({ requestId: event.requestId, stored, late }, "a request has two ends; the first one holds");
    },
    buried(reason, batchId) {
      dead.inc();
      log.error({ reason, batchId }, "a message cannot be applied and went to the dead-letter stream");
    },
    forged: () => forged.inc(),
    eventBuried(requestId, reason, batchId) {
      lost.inc();
      log.error(
        { requestId, reason, batchId },
        "a request's usage cannot be applied: it is buried until it is repaired",
      );
    },
    unburied: (id) => log.warn({ buriedId: id }, "a buried event was repaired and applied"),
    archived({ month, key, rows, bytes }) {
      archivedRows.inc(Number(rows));
      log.info({ month, key, rows: String(rows), bytes: String(bytes) }, "a month of usage events is archived");
    },
    archiveFailed(error) {
      archiveFailures.inc();
      log.error({ err: error }, "usage events could not be archived: they stay in the database");
    },
    alerted(detail) {
      alerts.inc();
      log.info(detail, "a spend alert's threshold is reached");
    },
    alertFailed(error) {
      alertFailures.inc();
      log.warn({ err: error }, "a spend alert could not be evaluated or sent: it is evaluated again soon");
    },
    waiting: (error) => log.warn({ err: error }, "usage waits: billing or MongoDB is out of reach"),
    streamMade: (name) => log.info({ stream: name }, "stream made"),
    membership(members, partitions) {
      owned.set(partitions);
      log.info({ members, partitions }, "the partitions of usage are shared anew");
    },
  };
}
