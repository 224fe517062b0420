import type { UpstreamProvider } from "../provider.ts";
import { voyageEmbeddings } from "./embeddings.ts";

/** Voyage: embeddings only. */
export const voyage: UpstreamProvider = { embeddings: voyageEmbeddings };
