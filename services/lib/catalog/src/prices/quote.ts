import { scaledDecimal } from "@uag/untrusted/decimal";
import type { z } from "zod";
import type { priceSchema } from "../schema.ts";
import { type UnitName, unitOf, unitTable } from "../units.ts";

/**
 * Prices of one model, in nano-USD per million tokens or characters, and per image, search and
 * second. A key is a unit, with its variant and the tier: `images:1k`, `input_tokens above 272000`.
 */
export type Quote = ReadonlyMap<string, bigint>;

/** A price as in the catalogue file. */
export type PriceRow = z.input<typeof priceSchema>;

/** One source's prices of a model. */
export interface SourcePrice {
  readonly quote: Quote;
  /** The vendor's page. */
  readonly link: string | undefined;
  /** The longest input and output, tokens, where the source has them. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** A table of prices that others maintain. */
export interface PriceSource {
  readonly name: string;
  /** Where the table came from, such as `litellm 1.109.1`. */
  readonly origin: string;
  /**
   * @param provider the catalogue's name of the provider
   * @param model the provider's name of the model
   */
  find(provider: string, model: string): SourcePrice | undefined;
  /**
   * The models that generate text, by the provider's names.
   * @param provider the name of a provider or of a template
   */
  models(provider: string): readonly string[];
}

/** The key of a unit in the tier above so many input tokens; 0: of the base price. */
export function keyOf(unit: string, above = 0): string {
  return above === 0 ? unit : `${unit} above ${above}`;
}

/** A key's unit with its variant, and its tier; 0: the base price. */
export function partsOf(key: string): { name: string; above: number } {
  const [name = "", above = "0"] = key.split(" above ");
  return { name, above: Number(above) };
}

/** The number of units that a key's price is for. */
export function perOf(key: string): bigint {
  const unit = unitOf(partsOf(key).name);
  return BigInt(unit === undefined ? 1 : unitTable[unit].per);
}

function addRates(quote: Map<string, bigint>, rates: Record<string, unknown>, above: number): void {
  for (const [unit, value] of Object.entries(rates)) {
    const variants = typeof value === "object" && value !== null ? Object.entries(value) : [["", value] as const];
    for (const [variant, usd] of variants) {
      const nano = scaledDecimal(String(usd), 9);
      if (nano !== undefined) quote.set(keyOf(variant === "" ? unit : `${unit}:${variant}`, above), nano);
    }
  }
}

/** The quote of a price in the catalogue. */
export function quoteOf({ tiers = [], ...base }: PriceRow): Quote {
  const quote = new Map<string, bigint>();
  addRates(quote, base, 0);
  for (const { above_input_tokens: above, ...rates } of tiers) addRates(quote, rates, above);
  return quote;
}

/**
 * The price that a quote has for a key: its own, or that of the unit which is charged in its place.
 */
export function priceIn(quote: Quote, key: string): bigint | undefined {
  const own = quote.get(key);
  if (own !== undefined) return own;
  const { name, above } = partsOf(key);
  const unit = name.includes(":") ? undefined : unitOf(name);
  const substitute: UnitName | undefined = unit === undefined ? undefined : unitTable[unit].insteadOf;
  return substitute === undefined ? undefined : quote.get(keyOf(substitute, above));
}

/** `2.5` for 2,500,000,000 nano-USD. */
export function usdDecimal(nanoUsd: bigint): string {
  const text = String(nanoUsd).padStart(10, "0");
  return `${text.slice(0, -9)}.${text.slice(-9)}`.replace(/\.?0{1,9}$/, "");
}

/** The row of a quote, as it is written into the catalogue. */
export function rowOf(quote: Quote): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const tiers = new Map<number, Record<string, unknown>>();
  for (const [key, nano] of quote) {
    const { name, above } = partsOf(key);
    const rates = above === 0 ? row : (tiers.get(above) ?? { above_input_tokens: above });
    if (above !== 0) tiers.set(above, rates);
    const [unit = "", variant] = name.split(":");
    const usd = Number(usdDecimal(nano));
    if (variant === undefined) rates[unit] = usd;
    else rates[unit] = { ...(rates[unit] as object | undefined), [variant]: usd };
  }
  return tiers.size === 0 ? row : { ...row, tiers: [...tiers.values()] };
}
