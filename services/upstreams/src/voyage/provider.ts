import type { UpstreamProvider } from "../provider.ts";
import { voyageEmbeddings } from "./embeddings.ts";

/** Voyage: embeddings alone. */
export const voyage: UpstreamProvider = { embeddings: voyageEmbeddings };
