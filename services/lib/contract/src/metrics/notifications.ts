import { rowsOf } from "./row.ts";

const notifications = rowsOf("notifications", "service");

/** Metrics of webhooks and mail. */
export const notificationMetrics = {
  uag_notification_attempts_total: notifications.counter("Delivery attempts of webhooks and mail.", {
    outcome: ["delivered", "failed", "given_up"],
  }),
  uag_notifications_refused_total: notifications.counter(
    "Messages refused because an account's budget is used up or a mail was repeated too soon.",
    { kind: ["mail", "webhook", "notice", "repeat"] },
  ),
  uag_notification_background_failures_total: notifications.counter(
    "Failures of background work; notifications retries it.",
    { work: ["delivery", "reseal"] },
  ),
} as const;
