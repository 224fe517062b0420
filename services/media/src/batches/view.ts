import { type BatchDocument, type BatchStatus, statusOf } from "./batch.ts";

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** A batch as its owner sees it. */
export function viewOf(batch: BatchDocument) {
  const { at, counts, errors, total } = batch;
  const time = (status: BatchStatus): number | null => (at[status] === undefined ? null : seconds(at[status]));
  return {
    id: batch._id,
    object: "batch",
    endpoint: batch.endpoint,
    model: batch.model ?? null,
    errors: errors === undefined ? null : { object: "list", data: errors },
    input_file_id: batch.inputFileId,
    completion_window: "24h",
    status: statusOf(batch),
    output_file_id: batch.outputFileId ?? null,
    error_file_id: batch.errorFileId ?? null,
    created_at: seconds(batch.createdAt),
    in_progress_at: time("in_progress"),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: time("finalizing"),
    completed_at: time("completed"),
    failed_at: time("failed"),
    expired_at: time("expired"),
    cancelling_at: time("cancelling"),
    cancelled_at: time("cancelled"),
    request_counts: { total, completed: counts.completed, failed: counts.failed },
    metadata: batch.metadata ?? null,
  };
}
