import { z } from "zod";
import { batchEndpoints } from "../requests/batches.ts";

/** The states of a batch. */
export const batchStatuses = [
  "validating",
  "in_progress",
  "finalizing",
  "completed",
  "failed",
  "expired",
  "cancelling",
  "cancelled",
] as const;

const time = z.int().nullable().describe("Unix time, seconds.");

const batchError = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable().describe("The invalid field."),
  line: z.int().nullable().describe("The line of the input file, the first is 1."),
});

/** A batch of an account. */
export const batch = z.object({
  id: z.string(),
  object: z.literal("batch"),
  endpoint: z.enum(batchEndpoints),
  model: z.string().nullable().describe("The model of every line, once the file has been validated."),
  errors: z
    .object({ object: z.literal("list"), data: z.array(batchError) })
    .nullable()
    .describe("Why the batch failed: the first faults of its input file, or what ended it early."),
  input_file_id: z.string(),
  completion_window: z.literal("24h"),
  status: z.enum(batchStatuses),
  output_file_id: z
    .string()
    .nullable()
    .describe("The file with the results of successful requests. Null while the batch runs, or if there are none."),
  error_file_id: z
    .string()
    .nullable()
    .describe(
      "The file with the requests that failed or were not run. Null while the batch runs, or if there are none.",
    ),
  created_at: z.int().describe("Unix time, seconds."),
  in_progress_at: time,
  expires_at: z.int().describe("Unix time, seconds: when requests that have not run are given up."),
  finalizing_at: time,
  completed_at: time,
  failed_at: time,
  expired_at: time,
  cancelling_at: time,
  cancelled_at: time,
  request_counts: z.object({
    total: z.int().min(0).describe("Lines of the file; 0 until it has been validated."),
    completed: z.int().min(0),
    failed: z.int().min(0).describe("Requests that failed or were not run."),
  }),
  metadata: z.record(z.string(), z.string()).nullable(),
});

/** A page of an account's batches. */
export const batchList = z.object({
  object: z.literal("list"),
  data: z.array(batch),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe("For the parameter `after`."),
  has_more: z.boolean(),
});

const moment = z.string().nullable().describe("RFC 3339.");
const messages = z.int().min(0);

/** A batch of messages, in Anthropic's format. */
export const messageBatch = z.object({
  id: z.string(),
  type: z.literal("message_batch"),
  processing_status: z.enum(["in_progress", "canceling", "ended"]),
  request_counts: z.object({
    processing: messages.describe("Requests without a result."),
    succeeded: messages,
    errored: messages,
    canceled: messages,
    expired: messages,
  }),
  created_at: z.string().describe("RFC 3339."),
  expires_at: z.string().describe("RFC 3339: when requests that have not run are given up."),
  ended_at: moment,
  cancel_initiated_at: moment,
  archived_at: z.null(),
  results_url: z.string().nullable().describe("Where the results are, once the batch has ended."),
});

/** A page of an account's batches of messages. */
export const messageBatchList = z.object({
  data: z.array(messageBatch),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** The response to a deletion. */
export const deletedMessageBatch = z.object({ id: z.string(), type: z.literal("message_batch_deleted") });
