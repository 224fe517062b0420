import { taskStatuses } from "../responses/media.ts";
import { rowsOf } from "./row.ts";

const video = rowsOf("video", "service");
const money = rowsOf("video", "money");
const providers = rowsOf("video", "providers");

/** What is exported of video tasks and of webhooks. */
export const videoMetrics = {
  uag_video_submit_seconds: video.histogram("From a request to its accepted task."),
  uag_video_tasks_ended_total: video.counter("Tasks by how they ended.", {
    status: taskStatuses,
  }),
  uag_video_webhook_attempts_total: video.counter("Deliveries of webhooks that were tried.", {
    outcome: ["delivered", "failed", "given_up"],
  }),
  uag_video_messages_refused_total: video.counter("Messages beyond an account's budget, and mails repeated too soon.", {
    kind: ["mail", "webhook", "notice", "repeat"],
  }),
  uag_video_background_failures_total: video.counter("Failures of work behind the requests, which goes on.", {
    work: ["wait", "outbox", "results", "poller", "poll", "reschedule", "discard", "submit", "webhooks"],
  }),
  uag_video_ambiguous_total: money.counter("Tasks that a provider may or may not have taken."),
  uag_video_recovered_total: money.counter("Such tasks by whether they were found.", { found: ["true", "false"] }),
  uag_video_tasks_settled_total: money.counter("Tasks whose bill is written."),
  uag_video_settle_failures_total: money.counter("Tries of writing a bill that failed."),
  uag_video_polls_total: providers.counter("Looks at tasks at their providers.", {
    provider: "provider",
    outcome: ["ok", "failed", "ended"],
  }),
} as const;
