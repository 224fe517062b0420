import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { TaskDocument } from "./store/task.ts";
import type { BudgetKind } from "./webhooks/budget.ts";

/** Events of tasks and webhooks, each logged and counted in one place. */
export interface VideoEvents {
  submitted(task: TaskDocument, elapsedMs: number): void;
  /** It is unknown whether the provider accepted the task. */
  ambiguous(task: TaskDocument, error: unknown): void;
  /** The provider was searched for a task without a provider id. */
  recovered(task: TaskDocument, found: boolean): void;
  /** Its grant was refused, or could not be found before it expired. */
  recoveredWithoutGrant(task: TaskDocument, error: unknown): void;
  polled(provider: string, outcome: "ok" | "failed" | "ended"): void;
  ended(task: TaskDocument): void;
  settled(task: TaskDocument): void;
  settleFailed(task: TaskDocument, error: unknown): void;
  delivered(detail: { id: string; account: string; attempt: number; ms: number }): void;
  deliveryFailed(detail: { id: string; account: string; attempt: number; error: string; last: boolean }): void;
  /** An account had used up its budget of messages of a kind. */
  messageRefused(kind: BudgetKind | "repeat", account: string): void;
  /** Background work failed; it is retried automatically. */
  stumbled(work: string, error: unknown): void;
}

export function createVideoEvents(log: Logger, metrics: Metrics): VideoEvents {
  const submits = metrics.seconds("uag_video_submit_seconds");
  const ambiguous = metrics.counter("uag_video_ambiguous_total");
  const recovered = metrics.counter("uag_video_recovered_total");
  const polls = metrics.counter("uag_video_polls_total");
  const ends = metrics.counter("uag_video_tasks_ended_total");
  const settled = metrics.counter("uag_video_tasks_settled_total");
  const settleFailures = metrics.counter("uag_video_settle_failures_total");
  const deliveries = metrics.counter("uag_video_webhook_attempts_total");
  const refusals = metrics.counter("uag_video_messages_refused_total");
  const stumbles = metrics.counter("uag_video_background_failures_total");
  return {
    submitted: (task, elapsedMs) => {
      submits.observe(elapsedMs / 1_000);
      log.debug({ task: task._id, model: task.model }, "task submitted");
    },
    ambiguous(task, error) {
      ambiguous.inc();
      log.warn({ task: task._id, request_id: task.requestId, err: error }, "the outcome of a submission is unknown");
    },
    recovered(task, found) {
      recovered.labels(String(found)).inc();
      log.warn(
        { task: task._id, request_id: task.requestId, found },
        "searched the provider for a task whose response was lost",
      );
    },
    recoveredWithoutGrant(task, error) {
      const fields = { task: task._id, request_id: task.requestId, account: task.accountId, err: error };
      log.warn(fields, "a recovered task has no grant; its cost is charged to the account");
    },
    polled: (provider, outcome) => polls.labels(provider, outcome).inc(),
    ended(task) {
      ends.labels(task.status).inc();
      log.debug({ task: task._id, status: task.status }, "task ended");
    },
    settled: () => settled.inc(),
    settleFailed(task, error) {
      settleFailures.inc();
      log.warn({ task: task._id, request_id: task.requestId, err: error }, "settling a task failed; retrying");
    },
    delivered: () => deliveries.labels("delivered").inc(),
    deliveryFailed(detail) {
      deliveries.labels(detail.last ? "given_up" : "failed").inc();
      log.info(detail, "webhook delivery failed");
    },
    messageRefused(kind, account) {
      refusals.labels(kind).inc();
      log.warn({ kind, account }, "message refused: the account's budget is used up");
    },
    stumbled(work, error) {
      stumbles.labels(work).inc();
      log.warn({ err: error, work }, "background work failed; retrying");
    },
  };
}
