import type { z } from "zod";
import type { ModelPrice, Rates } from "./price.ts";
import { ratesOf } from "./rates.ts";
import type { ratesSchema } from "./schema.ts";
import { unitOf } from "./units.ts";

type RatesRow = z.infer<typeof ratesSchema>;

/** What the operator pays for calls to an upstream. */
export interface UpstreamCost {
  /** As the catalogue has it; undefined: the model's price. */
  readonly own: RatesRow | undefined;
  /** The rates that usage is counted at. */
  readonly price: ModelPrice;
  /** Orders upstreams of one model by their cost, the lowest first. */
  readonly level: number;
}

/** The cost of an upstream; units that its own rates lack cost what the model's price states. */
export function upstreamCost(own: RatesRow | undefined, price: ModelPrice): UpstreamCost {
  if (own === undefined) return { own, price, level: levelOf(price.rates) };
  const rates = new Map([...price.rates, ...ratesOf(own)]);
  return { own, price: { version: price.version, rates, tiers: [] }, level: levelOf(rates) };
}

/**
 * Three parts of input and one of output, as most requests read more than they write; for a model
 * without tokens the sum of all rates. It does not depend on the request: a conversation must not
 * move to another provider, and lose its prompt cache, because it has grown.
 */
function levelOf(rates: Rates): number {
  const [input, output] = [rates.get("input_tokens"), rates.get("output_tokens")];
  if (input !== undefined || output !== undefined) return Number(3n * (input ?? 0n) + (output ?? 0n));
  let sum = 0n;
  for (const rate of rates.values()) sum += rate;
  return Number(sum);
}

/** Units of an upstream's cost that the model has no price for. */
export function unpricedCosts(own: RatesRow | undefined, priced: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(own ?? {}).filter((unit) => unitOf(unit) !== undefined && !Object.hasOwn(priced, unit));
}
