import { z } from "zod";

const contentEmbedding = z.looseObject({ values: z.array(z.number()) });

const usageMetadata = z.looseObject({
  promptTokenCount: z.int().min(0).describe("An estimate where the provider reports none."),
});

/** A vector in Gemini's format. */
export const embedContentResponse = z.object({ embedding: contentEmbedding, usageMetadata });

/** Vectors in Gemini's format, in the order of the requests. */
export const batchEmbedContentsResponse = z.object({ embeddings: z.array(contentEmbedding), usageMetadata });
