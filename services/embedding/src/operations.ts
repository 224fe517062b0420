import type { Operations } from "@uag/capability/operation/operation.ts";
import { createEmbeddings, type EmbeddingContext, type EmbeddingOptions } from "./create-embeddings.ts";

/** What this service serves, by the names that the router's table uses. */
export function operations(context: EmbeddingContext, options: EmbeddingOptions): Operations {
  return { embeddings: createEmbeddings(context, options) };
}
