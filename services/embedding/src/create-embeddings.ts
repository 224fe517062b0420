import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import { bodyLimits } from "@uag/untrusted/json/parse";
import type { EmbeddingFormat } from "./embedding-operation.ts";
import { readEmbeddingRequest } from "./request/read.ts";
import { embeddingsBody } from "./response/body.ts";

/** A request may contain its texts as token ids. */
const limits = { ...bodyLimits, numbers: 500_000 };

/** `POST /v1/embeddings` */
export const createEmbeddings: EmbeddingFormat = {
  name: "embeddings",
  body: jsonBody({ limits }),
  fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts.embeddings }),
  read: ({ fields }, model) => readEmbeddingRequest(fields, model),
  bodyOf: ({ parts, usage }, { id }) => embeddingsBody(parts, { model: id, tokens: usage.tokens }),
};
