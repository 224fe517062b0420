import type { Protocol } from "@uag/catalog/types.ts";
import { geminiEmbeddings } from "../gemini/embeddings.ts";
import { openAiEmbeddings } from "../openai-compatible/embeddings.ts";
import { dashScopeDialect, openAiDialect } from "../openai-compatible/variant.ts";
import { voyageEmbeddings } from "../voyage/embeddings.ts";
import type { EmbeddingAdapter } from "./types.ts";

const adapters: Partial<Record<Protocol, EmbeddingAdapter>> = {
  openai: openAiEmbeddings({ dialect: openAiDialect, path: "/embeddings", base64: true }),
  dashscope: openAiEmbeddings({ dialect: dashScopeDialect, path: "/compatible-mode/v1/embeddings", base64: false }),
  gemini: geminiEmbeddings,
  voyage: voyageEmbeddings,
};

/** How embeddings are asked of a provider; undefined when it gives none. */
export function embeddingAdapter(protocol: Protocol): EmbeddingAdapter | undefined {
  return adapters[protocol];
}
