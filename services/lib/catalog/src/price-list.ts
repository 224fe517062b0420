import type { ModelPrice, Rates } from "./price.ts";
import { unitOf, unitTable } from "./units.ts";

const million = 1_000_000;
const nanoPerUsd = 1e9;

/** Prices in USD as written in the catalogue, by unit or `<unit>:<variant>`. */
type Prices = Readonly<Record<string, number>>;

/** A model's prices in human-readable form. */
export interface PriceList {
  /** USD per million tokens or characters; per image, search and second of video. */
  readonly usd: Prices;
  /** Prices of the whole request when its input is longer. */
  readonly tiers: readonly { readonly above_input_tokens: number; readonly usd: Prices }[];
}

/** A model's prices in USD, from the integer rates that requests are priced with. */
export function priceList({ rates, tiers }: ModelPrice): PriceList {
  return {
    usd: pricesOf(rates),
    tiers: tiers.map((tier) => ({
      above_input_tokens: Number(tier.aboveInputTokens),
      usd: pricesOf(tier.rates),
    })),
  };
}

function pricesOf(rates: Rates): Prices {
  return Object.fromEntries([...rates].map(([name, rate]) => [name, usdOf(name, rate)]));
}

/**
 * A rate is nano-USD per million units; a catalogue price is per million or per single unit,
 * depending on the unit.
 */
function usdOf(name: string, rate: bigint): number {
  const unit = unitOf(name);
  const units = unit === undefined ? million : unitTable[unit].per;
  return Number((rate * BigInt(units)) / BigInt(million)) / nanoPerUsd;
}
