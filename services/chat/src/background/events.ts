import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { JobDocument } from "./job.ts";
import type { JobEnd } from "./run.ts";

/** Events of responses in the background, each logged and counted in one place. */
export interface BackgroundEvents {
  created(job: JobDocument): void;
  ended(job: JobDocument, end: JobEnd): void;
}

export function createBackgroundEvents(log: Logger, metrics: Metrics): BackgroundEvents {
  const created = metrics.counter("uag_background_responses_created_total");
  const ended = metrics.counter("uag_background_responses_ended_total");
  return {
    created: ({ id, accountId }) => {
      created.inc();
      log.info({ response: id, account: accountId }, "response in the background created");
    },
    ended: ({ id, accountId }, end) => {
      ended.labels(end).inc();
      log.info({ response: id, account: accountId, status: end }, "response in the background ended");
    },
  };
}
