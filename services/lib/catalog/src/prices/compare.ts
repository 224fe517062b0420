import { scaledDecimal } from "@uag/untrusted/decimal";
import type { PriceReview, PriceVersionRow } from "../types.ts";
import { type PriceRow, type PriceSource, priceIn, type Quote, quoteOf, type SourcePrice } from "./quote.ts";

/**
 * - `same`: every source that has the price has ours
 * - `changed`: both sources have the same other price
 * - `missing`: both sources have the same price for a unit that the catalogue has none for, or
 *   charges by another unit's price
 * - `one_source`: the only source that has it has another
 * - `disagree`: the sources differ from each other
 * - `unknown`: no source has it
 * - `reviewed`: the catalogue gives the reason for the difference
 */
type Finding = "same" | "changed" | "missing" | "one_source" | "disagree" | "unknown" | "reviewed";

/** One price of a model, by us and by the sources; nano-USD. */
export interface Difference {
  readonly key: string;
  /** Undefined: the catalogue has no such price. */
  readonly ours: bigint | undefined;
  /** By the source's name. */
  readonly theirs: ReadonlyMap<string, bigint>;
  readonly finding: Finding;
}

/** Whether a person should look at a price: a source has another. */
export const needsReview = ({ finding }: Difference): boolean => !["same", "unknown", "reviewed"].includes(finding);

/** A model's prices, compared with all sources. */
export interface ModelDifference {
  readonly model: string;
  readonly link: string | undefined;
  /** The sources that know the model. */
  readonly sources: readonly string[];
  readonly differences: readonly Difference[];
}

/** A model of the catalogue, as far as it is compared. */
export interface PricedModel {
  readonly id: string;
  readonly price: PriceRow;
  readonly upstreams: readonly { readonly provider: string; readonly model?: string | undefined }[];
  /** The sources' prices that were reviewed and are not taken, nano-USD by key. */
  readonly reviewed?: Quote;
}

/** The models of a catalogue's rows, each with its latest price, whether or not it is in force yet. */
export function latestPrices({
  models,
  price_versions: versions = [],
  price_reviews: reviews = [],
}: {
  readonly models: readonly Omit<PricedModel, "reviewed">[];
  readonly price_versions?: readonly PriceVersionRow[] | undefined;
  readonly price_reviews?: readonly PriceReview[] | undefined;
}): PricedModel[] {
  return models.map(({ id, price, upstreams }) => {
    const last = versions.findLast(({ model }) => model === id);
    const own = reviews.filter(({ models: ids }) => ids.includes(id));
    const reviewed = new Map(own.map((review) => [review.unit, scaledDecimal(String(review.price), 9) ?? -1n]));
    return { id, upstreams, price: last?.price ?? price, reviewed };
  });
}

function findingOf(ours: bigint | undefined, has: boolean, theirs: readonly bigint[]): Finding {
  const [first, second] = theirs;
  if (first === undefined) return "unknown";
  if (second !== undefined && first !== second) return "disagree";
  if (first === ours) return "same";
  if (second === undefined) return "one_source";
  return has ? "changed" : "missing";
}

function differencesOf(
  ours: Quote,
  sources: ReadonlyMap<string, SourcePrice>,
  reviewed: Quote | undefined,
): Difference[] {
  const quotes = [...sources].map(([name, { quote }]) => [name, quote] as const);
  // A price that only sources have is of interest where they agree: a unit that we do not charge.
  const shared = quotes.length < 2 ? [] : [...(quotes[0]?.[1].keys() ?? [])].filter((key) => quotes[1]?.[1].has(key));
  return [...new Set([...ours.keys(), ...shared])].flatMap((key) => {
    const has = ours.has(key);
    const theirs = new Map(
      quotes.flatMap(([name, quote]) => {
        // A table that lacks a unit does not count for it.
        const price = quote.get(key);
        return price === undefined ? [] : [[name, price] as const];
      }),
    );
    const price = priceIn(ours, key);
    const found = findingOf(price, has, [...theirs.values()]);
    const isReviewed = theirs.size > 0 && [...theirs.values()].every((one) => one === reviewed?.get(key));
    const finding = isReviewed && found !== "same" ? "reviewed" : found;
    return has || found === "missing" ? [{ key, ours: price, theirs, finding }] : [];
  });
}

/** Compares a model's price with the sources' prices of its first upstream. */
export function compareModel(
  { id, price, upstreams, reviewed }: PricedModel,
  sources: readonly PriceSource[],
): ModelDifference {
  const { provider = "", model = id } = upstreams[0] ?? {};
  const found = new Map<string, SourcePrice>();
  for (const source of sources) {
    const own = source.find(provider, model);
    if (own !== undefined) found.set(source.name, own);
  }
  const link = [...found.values()].find((each) => each.link !== undefined)?.link;
  return { model: id, link, sources: [...found.keys()], differences: differencesOf(quoteOf(price), found, reviewed) };
}
