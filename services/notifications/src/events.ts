import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { BudgetKind } from "./budget.ts";

/** Events of webhooks and mail, each logged and counted in one place. */
export interface NotificationEvents {
  delivered(detail: { id: string; account: string; attempt: number; ms: number }): void;
  deliveryFailed(detail: { id: string; account: string; attempt: number; error: string; last: boolean }): void;
  /** An account had used up its budget of messages of a kind. */
  messageRefused(kind: BudgetKind | "repeat", account: string): void;
  /** Background work failed; it is retried automatically. */
  stumbled(work: "delivery" | "reseal", error: unknown): void;
}

export function createEvents(log: Logger, metrics: Metrics): NotificationEvents {
  const deliveries = metrics.counter("uag_notification_attempts_total");
  const refusals = metrics.counter("uag_notifications_refused_total");
  const stumbles = metrics.counter("uag_notification_background_failures_total");
  return {
    delivered: () => deliveries.labels("delivered").inc(),
    deliveryFailed(detail) {
      deliveries.labels(detail.last ? "given_up" : "failed").inc();
      log.info(detail, "webhook delivery failed");
    },
    messageRefused(kind, account) {
      refusals.labels(kind).inc();
      log.warn({ kind, account }, "message not sent: the account has used up its message budget");
    },
    stumbled(work, error) {
      stumbles.labels(work).inc();
      log.warn({ err: error, work }, "background work failed; retrying");
    },
  };
}
