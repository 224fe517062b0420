import { type ModelPrice, price } from "@uag/catalog/price";
import { type Entry, inputOf, type Tokens } from "./entry.ts";
import type { Pair } from "./match.ts";

/** Why two gateways bill a request differently. */
export const causes = {
  tokens: "they count other tokens",
  cache: "they count other tokens as cached",
  unbilled: "they did not bill it",
  tier: "they do not apply the price of long prompts",
  price: "their price differs",
  ratio: "they multiply it by the ratio of the key's group",
  rounding: "rounding",
  missing_here: "this gateway has no such request",
  missing_there: "they have no such request",
  doubled_here: "this gateway has the request twice",
  doubled_there: "they have the request twice",
} as const;

export type Cause = keyof typeof causes;

/** A part of a difference: theirs less ours, nano-USD. The parts of a request add up to its difference. */
export interface Part {
  readonly cause: Cause;
  readonly nanoUsd: bigint;
}

const unitsOf = (tokens: Tokens) =>
  Object.entries(tokens).map(([name, quantity]) => ({ name, quantity: quantity as bigint }));

const costAt = (tokens: Tokens, rates: ModelPrice): bigint => price(unitsOf(tokens), rates).costNanoUsd;

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** The tokens that they count, as far as possible with as many of them cached as we count. */
export function withOurCache({ ours, theirs }: Pair): Tokens {
  const cached = smaller(ours.tokens.cached_input_tokens, inputOf(theirs));
  const written = smaller(ours.tokens.cache_write_5m_tokens, inputOf(theirs) - cached);
  const lasting = smaller(ours.tokens.cache_write_1h_tokens, inputOf(theirs) - cached - written);
  return {
    input_tokens: inputOf(theirs) - cached - written - lasting,
    cached_input_tokens: cached,
    cache_write_5m_tokens: written,
    cache_write_1h_tokens: lasting,
    output_tokens: theirs.tokens.output_tokens,
  };
}

/** What they bill without the ratio of the key's group; undefined: the ratio is zero. */
function withoutRatio({ costNanoUsd, ratio }: Entry): bigint | undefined {
  if (ratio === 1) return costNanoUsd;
  return ratio === 0 ? undefined : BigInt(Math.round(Number(costNanoUsd) / ratio));
}

/** What rounding may have added to their amount or taken from it. */
const roundedBy = ({ requests, ratio }: Entry, roundingNanoUsd: bigint): bigint =>
  BigInt(Math.ceil(Number(roundingNanoUsd * requests) / Math.min(ratio, 1)));

/**
 * The parts of a request's difference: its tokens are priced anew, first with their counts, then
 * with their share of cached ones, then without tiers; what is left is the price or rounding, and
 * the ratio of the key's group.
 * @param rates the model's price here; undefined: it is unknown
 * @param roundingNanoUsd what a request's amount is rounded to there
 */
export function explain(pair: Pair, rates: ModelPrice | undefined, roundingNanoUsd: bigint): Part[] {
  const { ours, theirs } = pair;
  if (theirs.costNanoUsd === ours.costNanoUsd) return [];
  if (theirs.unbilled !== undefined) return [{ cause: "unbilled", nanoUsd: theirs.costNanoUsd - ours.costNanoUsd }];
  const unscaled = withoutRatio(theirs);
  if (unscaled === undefined) return [{ cause: "ratio", nanoUsd: theirs.costNanoUsd - ours.costNanoUsd }];
  const parts: Part[] = [];
  let cost = ours.costNanoUsd;
  const reach = (cause: Cause, next: bigint): void => {
    if (next !== cost) parts.push({ cause, nanoUsd: next - cost });
    cost = next;
  };
  // A request that was billed otherwise than by its tokens, such as an estimate, differs by its price.
  if (rates !== undefined && distance(costAt(ours.tokens, rates), cost) <= ours.requests) {
    reach("tokens", cost + costAt(withOurCache(pair), rates) - costAt(ours.tokens, rates));
    reach("cache", cost + costAt(theirs.tokens, rates) - costAt(withOurCache(pair), rates));
    const untiered = costAt(theirs.tokens, { ...rates, tiers: [] });
    if (distance(untiered, unscaled) < distance(cost, unscaled)) reach("tier", untiered);
  }
  reach(distance(unscaled, cost) <= roundedBy(theirs, roundingNanoUsd) ? "rounding" : "price", unscaled);
  reach("ratio", theirs.costNanoUsd);
  return parts;
}

/** The difference of a request that only one gateway has. */
export const missing = ({ costNanoUsd }: Entry, where: "here" | "there", doubled: boolean): Part =>
  where === "here"
    ? { cause: doubled ? "doubled_there" : "missing_here", nanoUsd: costNanoUsd }
    : { cause: doubled ? "doubled_here" : "missing_there", nanoUsd: -costNanoUsd };
