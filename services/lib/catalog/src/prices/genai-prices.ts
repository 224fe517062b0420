import { scaledDecimal } from "@uag/untrusted/decimal";
import { z } from "zod";
import type { UnitName } from "../units.ts";
import { keyOf, type PriceSource, type SourcePrice } from "./quote.ts";

/** Names of the table's providers. */
const providerIds: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
  xai: "x-ai",
  moonshot: "moonshotai",
  deepseek: "deepseek",
  voyage: "voyageai",
  openrouter: "openrouter",
  groq: "groq",
  mistral: "mistral",
  together: "together",
  fireworks: "fireworks",
  cerebras: "cerebras",
};

/** Fields of the table: USD per million, or per thousand. */
const fields: readonly (readonly [field: string, unit: UnitName, thousand?: true])[] = [
  ["input_mtok", "input_tokens"],
  ["cache_read_mtok", "cached_input_tokens"],
  ["cache_write_mtok", "cache_write_5m_tokens"],
  ["cache_write_1h_mtok", "cache_write_1h_tokens"],
  ["input_image_mtok", "image_input_tokens"],
  ["input_video_mtok", "video_input_tokens"],
  ["input_audio_mtok", "audio_input_tokens"],
  ["cache_audio_read_mtok", "cached_audio_input_tokens"],
  ["output_mtok", "output_tokens"],
  ["output_image_mtok", "image_output_tokens"],
  ["output_audio_mtok", "audio_output_tokens"],
  ["web_searches_kcount", "web_searches", true],
];

const tiered = z.object({
  base: z.string(),
  tiers: z.array(z.object({ start: z.number(), price: z.string() })),
});
const modelPrice = z.record(z.string(), z.union([z.string(), z.number(), tiered, z.null()]).catch(null));
const conditional = z.object({
  constraint: z.object({ start_date: z.string().optional(), start_time: z.unknown().optional() }).nullish(),
  prices: modelPrice,
});
const modelSchema = z.object({
  id: z.string(),
  match: z.unknown().optional(),
  context_window: z.int().positive().nullish(),
  prices: z.union([z.array(conditional), modelPrice]),
});
const providerSchema = z.object({
  id: z.string(),
  pricing_urls: z.array(z.string()).nullish(),
  models: z.array(modelSchema),
});

const clauseSchema = z.object({ equals: z.string().optional(), or: z.array(z.unknown()).optional() });

/** By an exact name: patterns and parts of names may match another model. */
function matches(clause: unknown, model: string): boolean {
  const { equals, or: any = [] } = clauseSchema.safeParse(clause).data ?? {};
  return equals === model || any.some((each) => matches(each, model));
}

/**
 * The prices in force on a day: of the last condition that has begun, and of the busy hours where
 * there are any, as in the catalogue.
 */
function inForce(prices: z.infer<typeof modelSchema>["prices"], day: string): z.infer<typeof modelPrice> | undefined {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(
    ({ constraint }) =>
      constraint == null ||
      constraint.start_time !== undefined ||
      (constraint.start_date !== undefined && constraint.start_date <= day),
  );
  return begun.sort((a, b) => (a.constraint?.start_date ?? "").localeCompare(b.constraint?.start_date ?? "")).at(-1)
    ?.prices;
}

function quoteOf(prices: z.infer<typeof modelPrice>): ReadonlyMap<string, bigint> {
  const quote = new Map<string, bigint>();
  for (const [field, unit, thousand] of fields) {
    const value = prices[field];
    const set = (text: string | number, above: number): void => {
      const nano = scaledDecimal(String(text), thousand ? 6 : 9);
      if (nano !== undefined) quote.set(keyOf(unit, above), nano);
    };
    if (value === null || value === undefined) continue;
    set(typeof value === "object" ? value.base : value, 0);
    for (const { start, price } of typeof value === "object" ? value.tiers : []) set(price, start);
  }
  return quote;
}

/**
 * Reads the table of genai-prices (https://github.com/pydantic/genai-prices): its providers as
 * JSON, decimals as text.
 * @param day prices in force on this day, as `2026-11-24`
 * @throws {Error} when it is not that table
 */
export function genaiPrices(text: string, origin: string, day: string): PriceSource {
  const table = z.array(providerSchema).safeParse(JSON.parse(text));
  if (!table.success) throw new Error(`${origin} is not genai-prices' table of providers`);
  const providers = new Map(table.data.map((provider) => [provider.id, provider]));
  const find = (name: string, model: string): SourcePrice | undefined => {
    const provider = providers.get(providerIds[name] ?? "");
    const own = provider?.models;
    const found = own?.find(({ id }) => id === model) ?? own?.find(({ match }) => matches(match, model));
    const prices = found && inForce(found.prices, day);
    const contextTokens = found?.context_window ?? undefined;
    return prices && { quote: quoteOf(prices), link: provider?.pricing_urls?.[0], contextTokens };
  };
  // Their ids are not always the names in the vendor's API.
  return { name: "genai-prices", origin, find, models: () => [] };
}
