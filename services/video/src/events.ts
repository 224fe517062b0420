import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { TaskDocument } from "./store/task.ts";

/** Events of tasks, each logged and counted in one place. */
export interface VideoEvents {
  submitted(task: TaskDocument, elapsedMs: number): void;
  /** It is unknown whether the provider accepted the task. */
  ambiguous(task: TaskDocument, error: unknown): void;
  /** The provider was searched for a task without a provider id. */
  recovered(task: TaskDocument, found: boolean): void;
  /** Its grant was refused, or could not be found before it expired. */
  recoveredWithoutGrant(task: TaskDocument, error: unknown): void;
  polled(provider: string, outcome: "ok" | "failed" | "ended"): void;
  /** @param unseen without a state from its provider, so that its latest fault is the cause */
  ended(task: TaskDocument, unseen: boolean): void;
  /** A result could not be kept; it is tried again unless `last`. */
  resultFailed(task: TaskDocument, error: unknown, last: boolean): void;
  settled(task: TaskDocument): void;
  settleFailed(task: TaskDocument, error: unknown): void;
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
    ended(task, unseen) {
      ends.labels(task.status).inc();
      const { _id, requestId, status, fault } = task;
      if (unseen && fault !== undefined)
        log.warn({ task: _id, request_id: requestId, status, fault }, "task ended without a state from its provider");
      log.debug({ task: task._id, status: task.status }, "task ended");
    },
    resultFailed({ _id, requestId }, error, last) {
      stumbles.labels("results").inc();
      const text = last ? "storing a result failed; gave up" : "storing a result failed; retrying";
      log.warn({ task: _id, request_id: requestId, err: error }, text);
    },
    settled: () => settled.inc(),
    settleFailed(task, error) {
      settleFailures.inc();
      log.warn({ task: task._id, request_id: task.requestId, err: error }, "settling a task failed; retrying");
    },
    stumbled(work, error) {
      stumbles.labels(work).inc();
      log.warn({ err: error, work }, "background work failed; retrying");
    },
  };
}
