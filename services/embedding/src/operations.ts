import type { Operations } from "@uag/capability/operation/operation.ts";
import { createEmbeddings, type EmbeddingContext, type EmbeddingOptions } from "./create-embeddings.ts";

/** The operations of this service, by their names in the router's table. */
export function operations(context: EmbeddingContext, options: EmbeddingOptions): Operations {
  return { embeddings: createEmbeddings(context, options) };
}
