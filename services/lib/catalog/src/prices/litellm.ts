import { scaledDecimal } from "@uag/untrusted/decimal";
import { parseExactJson } from "@uag/untrusted/json/exact";
import { z } from "zod";
import type { UnitName } from "../units.ts";
import { keyOf, type PriceSource, type SourcePrice } from "./quote.ts";

const amount = z.union([z.number(), z.string()]);
const entrySchema = z.record(z.string(), z.unknown());
const tierSchema = z.object({ range: z.tuple([amount, amount]) }).catchall(z.unknown());

/** The table's name of each provider, and the prefix of its keys. */
const providers: Readonly<Record<string, readonly [name: string, prefix: string]>> = {
  openai: ["openai", ""],
  anthropic: ["anthropic", ""],
  gemini: ["gemini", "gemini/"],
  dashscope: ["dashscope", "dashscope/"],
  xai: ["xai", "xai/"],
  moonshot: ["moonshot", "moonshot/"],
  deepseek: ["deepseek", "deepseek/"],
  voyage: ["voyage", "voyage/"],
  openrouter: ["openrouter", "openrouter/"],
  groq: ["groq", "groq/"],
  mistral: ["mistral", "mistral/"],
  together: ["together_ai", "together_ai/"],
  fireworks: ["fireworks_ai", "fireworks_ai/"],
  cerebras: ["cerebras", "cerebras/"],
};

/** Fields of the table, all in USD for one. Those of other service tiers have a suffix. */
const fields: readonly (readonly [field: string, unit: UnitName, per: 1 | 1_000_000])[] = [
  ["input_cost_per_token", "input_tokens", 1_000_000],
  ["cache_read_input_token_cost", "cached_input_tokens", 1_000_000],
  ["cache_creation_input_token_cost", "cache_write_5m_tokens", 1_000_000],
  ["cache_creation_input_token_cost_above_1hr", "cache_write_1h_tokens", 1_000_000],
  ["input_cost_per_image_token", "image_input_tokens", 1_000_000],
  ["input_cost_per_audio_token", "audio_input_tokens", 1_000_000],
  ["output_cost_per_token", "output_tokens", 1_000_000],
  ["output_cost_per_image_token", "image_output_tokens", 1_000_000],
  ["output_cost_per_audio_token", "audio_output_tokens", 1_000_000],
  ["input_cost_per_character", "characters", 1_000_000],
  ["input_cost_per_second", "audio_seconds", 1],
  ["output_cost_per_image", "images", 1],
  ["output_cost_per_second", "video_seconds", 1],
];

const million = 1_000_000;

function nanoUsd(value: unknown, per: number): bigint | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  // A price for one token, as a price for a million.
  return scaledDecimal(String(value), per === million ? 9 + 6 : 9);
}

function addFields(quote: Map<string, bigint>, entry: Record<string, unknown>, suffix: string, above: number): void {
  for (const [field, unit, per] of fields) {
    const nano = nanoUsd(entry[field + suffix], per);
    if (nano !== undefined) quote.set(keyOf(unit, above), nano);
  }
}

function quoteOf(entry: Record<string, unknown>): ReadonlyMap<string, bigint> {
  const quote = new Map<string, bigint>();
  addFields(quote, entry, "", 0);
  const search = entrySchema.safeParse(entry["search_context_cost_per_query"]).data?.["search_context_size_medium"];
  const searches = nanoUsd(search, 1);
  if (searches !== undefined) quote.set("web_searches", searches);
  for (const field of Object.keys(entry)) {
    const above = /^input_cost_per_token(_above_(\d{1,5})k_tokens)$/.exec(field);
    if (above !== null) addFields(quote, entry, above[1] as string, Number(above[2]) * 1_000);
  }
  const tiers = z.array(tierSchema).safeParse(entry["tiered_pricing"]).data ?? [];
  for (const tier of tiers) addFields(quote, tier, "", Math.round(Number(tier.range[0])));
  return quote;
}

/** A count of tokens, which the table has as a number, or as text that is digit by digit the same. */
function tokensOf(value: unknown): number | undefined {
  const tokens = Number(value);
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/**
 * Reads LiteLLM's `model_prices_and_context_window.json`
 * (https://github.com/BerriAI/litellm), digit by digit.
 * @throws {Error} when it is not that table
 */
export function liteLlmPrices(text: string, origin: string): PriceSource {
  const table = z.record(z.string(), entrySchema).safeParse(parseExactJson(text));
  if (!table.success) throw new Error(`${origin} is not LiteLLM's table of prices`);
  const find = (provider: string, model: string): SourcePrice | undefined => {
    const [, prefix] = providers[provider] ?? [];
    const entry = prefix === undefined ? undefined : table.data[prefix + model];
    if (entry === undefined) return undefined;
    const { source, max_input_tokens: context, max_output_tokens: output } = entry;
    return {
      quote: quoteOf(entry),
      link: typeof source === "string" ? source : undefined,
      contextTokens: tokensOf(context),
      maxOutputTokens: tokensOf(output),
    };
  };
  const models = (provider: string): string[] => {
    const [name, prefix = ""] = providers[provider] ?? [];
    const own = Object.entries(table.data).filter(
      ([key, { mode, litellm_provider: owner }]) => mode === "chat" && owner === name && key.startsWith(prefix),
    );
    return own.map(([key]) => key.slice(prefix.length));
  };
  return { name: "litellm", origin, find, models };
}
