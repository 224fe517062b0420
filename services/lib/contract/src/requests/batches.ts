import { z } from "zod";
import { expiresAfter } from "./files.ts";

/** The paths whose requests a batch can contain. */
export const batchEndpoints = ["/v1/chat/completions", "/v1/responses", "/v1/completions", "/v1/embeddings"] as const;

/** Bounds of a batch, as at OpenAI. */
export const batchBounds = { lines: 50_000, bytes: 200 * 1024 * 1024, hours: 24 } as const;

const maxPairs = 16;
const maxNameLength = 64;
const maxValueLength = 512;

/** Up to 16 pairs of texts. */
const metadata = z
  .record(
    z.string().max(maxNameLength, `has a name of more than ${maxNameLength} characters`),
    z.string().max(maxValueLength, `has a value of more than ${maxValueLength} characters`),
  )
  .refine((pairs) => Object.keys(pairs).length <= maxPairs, `must have at most ${maxPairs} pairs`)
  .describe(
    `Up to ${maxPairs} pairs of texts, returned with the batch: names of at most ${maxNameLength} characters, values of at most ${maxValueLength}.`,
  );

/** Body of `POST /v1/batches`. */
export const createBatchRequest = z.object({
  input_file_id: z
    .string()
    .min(1)
    .max(100)
    .describe("A file with purpose `batch`: one request per line, at most 50,000 lines and 200 MiB."),
  endpoint: z
    .enum(batchEndpoints, `must be one of ${batchEndpoints.join(", ")}`)
    .describe("The path of every request in the file."),
  completion_window: z.literal("24h", "must be 24h").describe("Requests that have not run by then are not run."),
  metadata: metadata.nullish(),
  output_expires_after: expiresAfter
    .nullish()
    .describe("When the output and error files expire. Default: 30 days after their creation."),
});

/** Body of `POST /v1/batches/{id}/cancel`, which may be omitted. */
export const cancelBatchRequest = z.object({});

const maxListed = 100;
const wrongLimit = `must be a whole number from 1 to ${maxListed}`;

/** Query of `GET /v1/batches`. */
export const batchListQuery = z.object({
  limit: z.coerce
    .number(wrongLimit)
    .int(wrongLimit)
    .min(1, wrongLimit)
    .max(maxListed, wrongLimit)
    .default(20)
    .describe("Maximum batches per page."),
  after: z.string().max(100).optional().describe("`last_id` of the previous page."),
});

/** Query of `GET /v1/messages/batches`. */
export const messageBatchListQuery = z.object({
  limit: batchListQuery.shape.limit,
  after_id: z.string().max(100).optional().describe("`last_id` of the previous page: older batches."),
  before_id: z.string().max(100).optional().describe("`first_id` of a page: newer batches."),
});

const maxRequests = 10_000;

/** Body of `POST /v1/messages/batches`. */
export const createMessageBatchRequest = z.object({
  requests: z
    .array(
      z.object({
        custom_id: z
          .string()
          .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must have 1 to 64 letters, digits, hyphens and underscores")
          .describe("Your id of the request, unique in the batch, which its result has too."),
        params: z
          .looseObject({
            model: z.string().min(1).max(256),
            stream: z.literal(false, "streamed responses are not available in a batch").nullish(),
          })
          .describe("The request's body, as it would be sent to `POST /v1/messages`."),
      }),
    )
    .min(1, "must have at least one request")
    .max(maxRequests, `must have at most ${maxRequests} requests`)
    .describe("At most 10,000 requests, 32 MiB and 100,000 JSON values in all. They may name different models."),
});

const maxIdLength = 256;

/** One line of a batch's input file. */
export const batchLine = z.object({
  custom_id: z
    .string()
    .min(1)
    .max(maxIdLength, `must have at most ${maxIdLength} characters`)
    .describe("Your id of the request, unique in the file, which its result has too."),
  method: z.literal("POST", "must be POST"),
  url: z.string().describe("The batch's `endpoint`."),
  body: z
    .looseObject({
      model: z.string().min(1).max(256),
      stream: z.literal(false, "streamed responses are not available in a batch").nullish(),
      background: z.literal(false, "a batch always runs in the background").nullish(),
    })
    .describe("The request's body, as it would be sent to that path. Every line names the same model."),
});
