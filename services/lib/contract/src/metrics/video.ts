import { taskStatuses } from "../responses/media.ts";
import { rowsOf } from "./row.ts";

const video = rowsOf("video", "service");
const money = rowsOf("video", "money");
const providers = rowsOf("video", "providers");

/** Metrics of video tasks. */
export const videoMetrics = {
  uag_video_submit_seconds: video.histogram("Time from a request to its accepted task."),
  uag_video_tasks_ended_total: video.counter("Ended tasks by status.", {
    status: taskStatuses,
  }),
  uag_video_background_failures_total: video.counter("Failures of background work; video retries it.", {
    work: ["wait", "outbox", "results", "poller", "poll", "reschedule", "discard", "submit", "webhook"],
  }),
  uag_video_ambiguous_total: money.counter("Submissions with an unknown outcome."),
  uag_video_recovered_total: money.counter(
    "Tasks with an unknown submission outcome, by whether they were found at the provider.",
    { found: ["true", "false"] },
  ),
  uag_video_tasks_settled_total: money.counter("Tasks settled."),
  uag_video_settle_failures_total: money.counter("Failed attempts to settle a task."),
  uag_video_polls_total: providers.counter("Task polls at providers.", {
    provider: "provider",
    outcome: ["ok", "failed", "ended"],
  }),
} as const;
