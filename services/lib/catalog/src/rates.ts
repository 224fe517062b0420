import { createHash } from "node:crypto";
import type { z } from "zod";
import { nanoUsd } from "./nano-usd.ts";
import type { ModelPrice, Rates } from "./price.ts";
import type { priceSchema, ratesSchema } from "./schema.ts";
import { unitOf, unitTable } from "./units.ts";

type RatesRow = z.input<typeof ratesSchema>;

/**
 * Converts the catalogue's prices in USD to rates in nano-USD per million units.
 * @param effectiveFrom makes the version another than that of the same rates at another time
 */
export function modelPrice(row: z.input<typeof priceSchema>, effectiveFrom?: string): ModelPrice {
  const { tiers: tierRows = [], ...base } = row;
  const rates = ratesOf(base);
  const tiers = tierRows
    .map(({ above_input_tokens, ...tier }) => ({ aboveInputTokens: BigInt(above_input_tokens), rates: ratesOf(tier) }))
    .sort((a, b) => Number(a.aboveInputTokens - b.aboveInputTokens));
  const content = [canonical(rates), ...tiers.map((tier) => [String(tier.aboveInputTokens), canonical(tier.rates)])];
  const identity = JSON.stringify(effectiveFrom === undefined ? content : [...content, effectiveFrom]);
  const version = createHash("sha256").update(identity).digest("hex").slice(0, 12);
  return { version, rates, tiers };
}

/** The catalogue's prices in USD as nano-USD per million units, by unit or `<unit>:<variant>`. */
export function ratesOf(row: RatesRow): Rates {
  const rates = new Map<string, bigint>();
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "number") rates.set(name, perMillion(name, value));
    for (const [variant, usd] of Object.entries(typeof value === "object" ? value : {})) {
      rates.set(`${name}:${variant}`, perMillion(name, usd));
    }
  }
  return rates;
}

function perMillion(name: string, usd: number): bigint {
  const unit = unitOf(name);
  const nano = nanoUsd(usd);
  if (unit === undefined || nano === undefined) throw new RangeError(`invalid price of ${name}: ${usd}`);
  return nano * BigInt(1_000_000 / unitTable[unit].per);
}

function canonical(rates: Rates): string[][] {
  return [...rates]
    .map(([name, rate]) => [name, String(rate)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}
