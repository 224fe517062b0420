import type { OperationsOf } from "@uag/pipeline/operation/operation";
import { createEmbeddings, type EmbeddingContext, type EmbeddingOptions } from "./create-embeddings.ts";
import { type ModerationContext, moderate } from "./moderate.ts";
import { rerank } from "./rerank.ts";

/** The operations of this service, by their names in the table of routes. */
export function operations(
  context: EmbeddingContext & ModerationContext,
  options: EmbeddingOptions,
): OperationsOf<"embedding"> {
  return {
    embeddings: createEmbeddings(context, options),
    moderations: moderate(context),
    rerank: rerank(context),
  };
}
