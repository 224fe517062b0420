import type { Deployment as SharedDeployment } from "../models.ts";
import { perMillion } from "../names.ts";
import type { Deployment } from "./deployments.ts";
import { placeOf } from "./place.ts";

/** LiteLLM's prefixes of models, and the provider or template here: https://docs.litellm.ai/docs/providers */
const kinds: Readonly<Record<string, string>> = {
  openai: "openai",
  hosted_vllm: "openai",
  litellm_proxy: "openai",
  custom_openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  dashscope: "dashscope",
  xai: "xai",
  moonshot: "moonshot",
  deepseek: "deepseek",
  cerebras: "cerebras",
  voyage: "voyage",
  volcengine: "ark",
  openrouter: "openrouter",
  groq: "groq",
  mistral: "mistral",
  together_ai: "together",
  fireworks_ai: "fireworks",
  azure: "azure",
  bedrock: "bedrock",
  vertex_ai: "vertex",
};

/** Providers of models whose name has no prefix. */
const unprefixed: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|o\d|chatgpt)-?/, "openai"],
  [/^claude-/, "anthropic"],
];

/** A model of LiteLLM, such as `openai/gpt-4o`: the kind of its provider, and its name there. */
function partsOf(model: string): { kind: string | undefined; upstream: string } {
  const slash = model.indexOf("/");
  if (slash < 0) return { kind: unprefixed.find(([form]) => form.test(model))?.[1], upstream: model };
  const kind = kinds[model.slice(0, slash)];
  const upstream = model.slice(slash + 1);
  return { kind, upstream: kind === "bedrock" ? upstream.replace(/^(converse|invoke)\//, "") : upstream };
}

/** The price that LiteLLM was given for a deployment; undefined without one. */
function priceOf({ params, info }: Deployment): Record<string, number> | undefined {
  const { input_cost_per_token: input, output_cost_per_token: output } = { ...info, ...withoutEmpty(params) };
  const cached = params.cache_read_input_token_cost ?? info.cache_read_input_token_cost;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  const price = { input_tokens: perMillion(input), output_tokens: perMillion(output) };
  return typeof cached === "number" ? { ...price, cached_input_tokens: perMillion(cached) } : price;
}

const withoutEmpty = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** A deployment in the terms that gateways share. */
export function sharedDeployment(deployment: Deployment): SharedDeployment {
  const { name, params, info } = deployment;
  const { kind, upstream } = partsOf(params.model);
  const isText = !info.mode || info.mode === "chat" || info.mode === "responses";
  return {
    name,
    upstream,
    shown: params.model,
    base: info.base_model ? partsOf(info.base_model).upstream : undefined,
    place: placeOf(kind, params),
    weight: params.weight ?? undefined,
    priority: params.order ?? undefined,
    price: priceOf(deployment),
    contextTokens: info.max_input_tokens ?? undefined,
    maxOutputTokens: info.max_output_tokens ?? info.max_tokens ?? undefined,
    refusal: isText ? undefined : `Its mode ${info.mode} is not imported.`,
  };
}
