import type { Protocol } from "@uag/catalog/types.ts";
import { dashScopeDialect, openAiDialect } from "../openai/dialect.ts";
import { geminiEmbeddings } from "./gemini.ts";
import { openAiEmbeddings } from "./openai.ts";
import type { EmbeddingAdapter } from "./types.ts";
import { voyageEmbeddings } from "./voyage.ts";

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
