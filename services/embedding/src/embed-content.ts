import { googleErrors } from "@uag/pipeline/google-errors";
import { googleBody } from "@uag/pipeline/operation/google-body";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import type { EmbeddingFormat } from "./embedding-operation.ts";
import { readBatch, readEmbedContent } from "./request/read-gemini.ts";
import { batchEmbedContentsBody, embedContentBody } from "./response/gemini-body.ts";

/** `POST /v1beta/models/{model}:embedContent` */
export const embedContent: EmbeddingFormat = {
  name: "embed_content",
  body: googleBody(),
  fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts.embed_content }),
  read: readEmbedContent,
  errorFormat: googleErrors,
  bodyOf: embedContentBody,
};

/** `POST /v1beta/models/{model}:batchEmbedContents` */
export const batchEmbedContents: EmbeddingFormat = {
  name: "batch_embed_contents",
  body: googleBody(),
  fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts.batch_embed_contents }),
  read: readBatch,
  errorFormat: googleErrors,
  bodyOf: batchEmbedContentsBody,
};
