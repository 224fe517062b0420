import { type BatchDocument, statusOf } from "./batch.ts";

const moment = (date: Date | undefined): string | null => date?.toISOString() ?? null;

/** A batch of messages as its owner sees it. */
export function messageViewOf(batch: BatchDocument, publicUrl: string) {
  const { counts, total, live, ending } = batch;
  const skippedBy = (status: string): number => (ending?.status === status ? counts.skipped : 0);
  const [canceled, expired] = [skippedBy("cancelled"), skippedBy("expired")];
  const running = statusOf(batch) === "cancelling" ? "canceling" : "in_progress";
  return {
    id: batch._id,
    type: "message_batch",
    processing_status: live ? running : "ended",
    request_counts: {
      processing: total - counts.completed - counts.failed,
      succeeded: counts.completed,
      errored: counts.failed - canceled - expired,
      canceled,
      expired,
    },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.expiresAt.toISOString(),
    ended_at: moment(batch.endedAt),
    cancel_initiated_at: moment(batch.at.cancelling),
    archived_at: null,
    results_url: live ? null : `${publicUrl}/v1/messages/batches/${batch._id}/results`,
  };
}
