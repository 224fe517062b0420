import type { CapabilityContext } from "@uag/capability/context.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import { createEmbeddings } from "./operations/create-embeddings.ts";

export interface EmbeddingOptions {
  /** Upstream calls under way at once for one request. */
  readonly partsAtOnce: number;
}

/** What embedding does its work with. */
export type EmbeddingContext = Pick<
  CapabilityContext,
  "admission" | "budget" | "buffers" | "catalog" | "drains" | "events" | "health" | "pools"
>;

/** What this service serves, by the names that the router's table uses. */
export function operations(context: EmbeddingContext, options: EmbeddingOptions): Record<string, LinkHandler> {
  return { embeddings: createEmbeddings(context, options) };
}
