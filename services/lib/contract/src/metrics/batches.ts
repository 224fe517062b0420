import { batchStatuses } from "../responses/batches.ts";
import { rowsOf } from "./row.ts";

const media = rowsOf("media", "service");

/** Metrics of batches. */
export const batchMetrics = {
  uag_batches_created_total: media.counter("Batches created."),
  uag_batches_ended_total: media.counter("Ended batches by status.", { status: batchStatuses }),
} as const;
