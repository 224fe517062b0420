import { outcomeToJSON, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";

/** Metering's events, each logged and counted in one place. */
export interface MeteringEvents {
  applied(batches: number, events: number, repeated: number): void;
  /** A request has two different terminal events; the stored one counts. */
  conflict(event: UsageEvent, storedOutcome: string): void;
  /** A message cannot be applied: it is moved to the dead-letter stream. */
  deadLettered(reason: string, batchId: string): void;
  /** A dead-lettered batch was not from the publisher it claimed. */
  forged(): void;
  /** One event of a batch cannot be applied; the others are. */
  eventDeadLettered(requestId: string, reason: string, batchId: string): void;
  /** A dead-lettered event was corrected and applied. */
  deadLetterRepaired(id: string): void;
  /** A month's events were moved from the database to a file. */
  archived(part: { month: string; key: string; rows: bigint; bytes: bigint }): void;
  archiveFailed(error: unknown): void;
  /** The recipients of a spend alert are notified that its threshold is reached. */
  alerted(detail: { alert: string; account: string; threshold: number; messages: number }): void;
  /** Spend alerts could not be evaluated; metering retries. */
  alertFailed(error: unknown): void;
  /** A service's counts of refusals could not be stored. */
  refusalsLost(error: unknown): void;
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
  const lost = metrics.counter("uag_usage_dead_letter_events_total");
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
      log.warn({ requestId: event.requestId, stored, late }, "a request has two terminal events; the first one counts");
    },
    deadLettered(reason, batchId) {
      dead.inc();
      log.error({ reason, batchId }, "message cannot be applied; moved to the dead-letter stream");
    },
    forged: () => forged.inc(),
    eventDeadLettered(requestId, reason, batchId) {
      lost.inc();
      log.error({ requestId, reason, batchId }, "usage event cannot be applied; dead-lettered until repaired");
    },
    deadLetterRepaired: (id) => log.warn({ deadLetterId: id }, "a dead letter was repaired and applied"),
    archived({ month, key, rows, bytes }) {
      archivedRows.inc(Number(rows));
      log.info({ month, key, rows: String(rows), bytes: String(bytes) }, "a month of usage events is archived");
    },
    archiveFailed(error) {
      archiveFailures.inc();
      log.error({ err: error }, "archiving usage events failed; they stay in the database");
    },
    alerted(detail) {
      alerts.inc();
      log.info(detail, "a spend alert's threshold is reached; recipients notified");
    },
    alertFailed(error) {
      alertFailures.inc();
      log.warn({ err: error }, "evaluating or sending a spend alert failed; retrying");
    },
    refusalsLost: (error) => log.warn({ err: error }, "counts of refused requests could not be stored; they are lost"),
    waiting: (error) =>
      log.warn({ err: error }, "billing or MongoDB is unreachable; applying usage is paused, retrying"),
    streamMade: (name) => log.info({ stream: name }, "stream created"),
    membership(members, partitions) {
      owned.set(partitions);
      log.info({ members, partitions }, "usage partitions rebalanced");
    },
  };
}
