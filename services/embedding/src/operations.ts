import type { OperationsOf } from "@uag/pipeline/operation/operation";
import { createEmbeddings } from "./create-embeddings.ts";
import { batchEmbedContents, embedContent } from "./embed-content.ts";
import { type EmbeddingContext, type EmbeddingOptions, embeddingOperation } from "./embedding-operation.ts";
import { type ModerationContext, moderate } from "./moderate.ts";
import { rerank } from "./rerank.ts";

/** The operations of this service, by their names in the table of routes. */
export function operations(
  context: EmbeddingContext & ModerationContext,
  options: EmbeddingOptions,
): OperationsOf<"embedding"> {
  return {
    embeddings: embeddingOperation(context, options, createEmbeddings),
    embed_content: embeddingOperation(context, options, embedContent),
    batch_embed_contents: embeddingOperation(context, options, batchEmbedContents),
    moderations: moderate(context),
    rerank: rerank(context),
  };
}
