import { z } from "zod";

/** Most documents of one request (Voyage's reference, rerank; Cohere advises the same). */
const maxDocuments = 1_000;

const document = z.union([z.string(), z.looseObject({ text: z.string() })]);

/** `POST /v1/rerank` and `POST /v2/rerank`: the fields that Cohere's and Jina's references share. */
export const rerankRequest = z.object({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z
    .array(document)
    .min(1)
    .max(maxDocuments)
    .describe("At most 1,000 texts, or objects with the member `text`."),
  top_n: z.int().positive().nullish().describe("Number of results; default: one for each document."),
  return_documents: z.boolean().nullish().describe("Whether each result has its document; default: false."),
});
