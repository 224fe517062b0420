import type { z } from "zod";
import type { providerSchema } from "./provider-schema.ts";

/** What a new provider starts from: fields of the catalogue's row. */
export type ProviderTemplate = Pick<z.input<typeof providerSchema>, "protocol" | "base_url"> & {
  readonly [field: string]: unknown;
};

/** What may be assumed of a vendor of OpenAI's protocol: the least, and that streams are billed to their end. */
const compatible = { protocol: "openai", developer_role: false, openai_options: [], on_abort: "continues" } as const;

/**
 * It rejects fields that it does not know with 422. Its streams end with their usage unasked
 * (https://docs.mistral.ai/api/endpoint/chat).
 */
const rejectedByMistral = [
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "seed",
  "service_tier",
  "store",
  "stream_options",
  "top_logprobs",
  "user",
  "verbosity",
] as const;

/**
 * Providers that the catalogue's file does not have, with the base URL of their documentation.
 * Those of the file are templates as well.
 */
export const providerTemplates: Readonly<Record<string, ProviderTemplate>> = {
  openrouter: { ...compatible, base_url: "https://openrouter.ai/api/v1" },
  groq: { ...compatible, base_url: "https://api.groq.com/openai/v1" },
  mistral: { ...compatible, base_url: "https://api.mistral.ai/v1", unsupported_fields: rejectedByMistral },
  together: { ...compatible, base_url: "https://api.together.xyz/v1" },
  fireworks: { ...compatible, base_url: "https://api.fireworks.ai/inference/v1" },
  cerebras: { ...compatible, base_url: "https://api.cerebras.ai/v1" },
  ollama: { ...compatible, base_url: "http://127.0.0.1:11434/v1" },
  vllm: { ...compatible, base_url: "http://127.0.0.1:8000/v1" },
  "openai-compatible": { ...compatible, base_url: "" },
  "anthropic-compatible": { protocol: "anthropic", base_url: "", on_abort: "continues" },
};
