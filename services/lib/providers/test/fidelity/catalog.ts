import { parseCatalog } from "@uag/catalog/parse";
import type { Model } from "@uag/catalog/types";

/** A model of each provider: what only some models need is known by their names. */
const providers = {
  anthropic: { protocol: "anthropic", model: "claude-sonnet-4-6" },
  gemini: { protocol: "gemini", model: "gemini-2.5-flash" },
  openai: { protocol: "openai", model: "gpt-5.5" },
  xai: { protocol: "xai", model: "grok-4.5" },
  dashscope: { protocol: "dashscope", model: "qwen3.8-max" },
  deepseek: { protocol: "openai", model: "deepseek-flash" },
  moonshot: { protocol: "openai", model: "kimi-k3" },
  mistral: { protocol: "openai", model: "magistral-medium-latest" },
  groq: { protocol: "openai", model: "openai/gpt-oss-120b" },
  openrouter: { protocol: "openai", model: "z-ai/glm-4.6" },
} as const;

const rows = Object.entries(providers).map(
  ([name, { protocol }]) => `  ${name}: { protocol: ${protocol}, base_url: "http://127.0.0.1:1", api_key: k }`,
);

const price =
  "{ input_tokens: 1, cached_input_tokens: 0.1, cache_write_5m_tokens: 1.25, cache_write_1h_tokens: 2, output_tokens: 4 }";

const models = Object.entries(providers).map(
  ([name, { model }]) =>
    `  - { id: ${name}, owned_by: ${name}, created: 0, operations: [chat.completions, messages, responses], context_tokens: 200000, max_output_tokens: 64000, input: [text, image, file], price: ${price}, upstreams: [{ provider: ${name}, model: "${model}" }] }`,
);

const catalog = parseCatalog(`providers:\n${rows.join("\n")}\nmodels:\n${models.join("\n")}`, {});

/** A model of each provider, named after it. Prices are in USD per million tokens. */
export function modelNamed(id: string): Model {
  const model = catalog.models.get(id);
  if (model === undefined) throw new Error(`catalog.ts has no model ${id}`);
  return model;
}
