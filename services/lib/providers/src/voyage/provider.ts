import type { UpstreamProvider } from "../provider.ts";
import { voyageEmbeddings } from "./embeddings.ts";
import { voyageRerank } from "./rerank.ts";

/** Voyage: embeddings and reranking. */
export const voyage: UpstreamProvider = { embeddings: voyageEmbeddings, rerank: voyageRerank };
