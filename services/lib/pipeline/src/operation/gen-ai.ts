import { cachedUnits, inputUnits, outputUnits, unitOf } from "@uag/catalog/units";
import { modelOperationOf } from "@uag/contract/routes";
import type { Settlement } from "@uag/usage/types";

// OpenTelemetry's conventions for generative AI:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/model/gen-ai/registry.yaml

/** Names in the conventions for our operations. */
const operations: Readonly<Record<string, string>> = {
  "chat.completions": "chat",
  messages: "chat",
  responses: "chat",
  embeddings: "embeddings",
  generate_content: "generate_content",
  stream_generate_content: "generate_content",
  "images.generations": "generate_content",
  "images.edits": "generate_content",
};

/** Names in the conventions for the catalogue's providers; others keep their own. */
const providers: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

const named = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name;

/** The name of one of our operations in the conventions; default: that of the operation that its models have. */
export const operationName = (operation: string): string =>
  named(operations, Object.hasOwn(operations, operation) ? operation : modelOperationOf(operation));

/** The name of one of the catalogue's providers in the conventions. */
export const providerName = (provider: string): string => named(providers, provider);

const cacheWrites: ReadonlySet<string> = new Set(["cache_write_5m_tokens", "cache_write_1h_tokens"]);

/** Token counts of a request as the conventions add them up: cached tokens are among the input, reasoning is output. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}

/** The counts of a bill; undefined when it has no tokens. */
export function tokensOf(units: Settlement["units"]): TokenCounts | undefined {
  const sum = (of: ReadonlySet<string>): number =>
    units.reduce((total, { name, quantity }) => (of.has(unitOf(name) ?? "") ? total + Number(quantity) : total), 0);
  const counts = {
    input: sum(inputUnits),
    output: sum(outputUnits),
    cacheRead: sum(cachedUnits),
    cacheCreation: sum(cacheWrites),
  };
  return counts.input + counts.output === 0 ? undefined : counts;
}

/** Attributes of the usage: its tokens by the conventions, and every unit by our own name. */
export function usageAttributes(units: Settlement["units"]): Record<string, number> {
  const tokens = tokensOf(units);
  return {
    ...Object.fromEntries(units.map(({ name, quantity }) => [`gateway.usage.${name}`, Number(quantity)])),
    ...(tokens !== undefined && {
      "gen_ai.usage.input_tokens": tokens.input,
      "gen_ai.usage.output_tokens": tokens.output,
      "gen_ai.usage.cache_read.input_tokens": tokens.cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": tokens.cacheCreation,
    }),
  };
}

/** Attributes of the provider and the model that a request was billed for; none if no provider was reached. */
export function answeredBy({ upstream, upstreamModel }: Settlement): Record<string, string> {
  if (upstream === "") return {};
  return { "gen_ai.provider.name": providerName(upstream), "gen_ai.response.model": upstreamModel };
}
