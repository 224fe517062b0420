import { z } from "zod";
import { maxEmbeddingInputs } from "./embeddings.ts";
import { maxParts } from "./fields.ts";

const part = z.strictObject({ text: z.string() });

const content = z.strictObject({
  role: z.string().nullish(),
  parts: z.array(part).min(1).max(maxParts).describe("The texts of one vector."),
});

/** Google's task types (https://ai.google.dev/api/embeddings). */
const taskTypes = [
  "TASK_TYPE_UNSPECIFIED",
  "RETRIEVAL_QUERY",
  "RETRIEVAL_DOCUMENT",
  "SEMANTIC_SIMILARITY",
  "CLASSIFICATION",
  "CLUSTERING",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
] as const;

/** One of Google's task types. */
export type TaskType = (typeof taskTypes)[number];

/**
 * The body of `POST /v1beta/models/{model}:embedContent` (https://ai.google.dev/api/embeddings).
 * Names in snake case are accepted too.
 */
export const embedContentRequest = z.looseObject({
  model: z.string().nullish().describe("The model of the path, with or without `models/`."),
  content,
  taskType: z
    .enum(taskTypes)
    .nullish()
    .describe("The purpose of the vector. Other providers' models distinguish queries and documents alone."),
  title: z
    .string()
    .nullish()
    .describe("The title of a document, for RETRIEVAL_DOCUMENT. For other providers' models it precedes the text."),
  outputDimensionality: z.int().positive().nullish().describe("The size of the vector; default: the model's own."),
});

/**
 * The body of `POST /v1beta/models/{model}:batchEmbedContents`. The task type and the size are the
 * same in every request.
 */
export const batchEmbedContentsRequest = z.looseObject({
  requests: z.array(embedContentRequest).min(1).max(maxEmbeddingInputs),
});
