import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { BatchDocument, BatchStatus } from "./batch.ts";

/** Events of batches, each logged and counted in one place. */
export interface BatchEvents {
  created(batch: BatchDocument): void;
  ended(batch: BatchDocument, status: BatchStatus): void;
}

export function createBatchEvents(log: Logger, metrics: Metrics): BatchEvents {
  const created = metrics.counter("uag_batches_created_total");
  const ended = metrics.counter("uag_batches_ended_total");
  return {
    created: ({ _id, accountId, endpoint }) => {
      created.inc();
      log.info({ batch: _id, account: accountId, endpoint }, "batch created");
    },
    ended: ({ _id, accountId, counts }, status) => {
      ended.labels(status).inc();
      log.info({ batch: _id, account: accountId, status, ...counts }, "batch ended");
    },
  };
}
