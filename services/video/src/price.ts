import { type ModelPrice, type Priced, price } from "@uag/catalog/price";
import { type Charged, chargeOf } from "@uag/catalog/provisional";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import type { UnitName } from "@uag/catalog/units";
import { Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { unitsOfOthers } from "@uag/providers/openai-compatible/other-counters";
import type { VideoUsage } from "@uag/providers/video/types";
import type { TaskDocument, Terms } from "./store/task.ts";

const [seconds] = sizings.videos.seconds;
const [tokens] = sizings.videos.tokens;
const [images] = sizings.videos.eachReference;

/** Counters of a video's usage that its price covers. */
const knownCounters = /^(prompt|completion|total)_tokens$|^video_count$|_details$/;

type Rates = ReadonlyMap<string, bigint>;

/** Whether a model is priced by seconds or by tokens. */
function basisOf(rates: Rates): UnitName {
  for (const name of rates.keys()) if (name.split(":", 1)[0] === tokens) return tokens;
  return seconds;
}

/**
 * The resolutions that a model has prices for; undefined when its price does not depend on them.
 */
export function pricedResolutions(model: Pick<Model, "price">): readonly string[] | undefined {
  const found = new Set<string>();
  for (const name of model.price.rates.keys()) {
    const resolution = /:(\d+p)/.exec(name)?.[1];
    if (resolution !== undefined) found.add(resolution);
  }
  return found.size === 0 ? undefined : [...found];
}

/**
 * The most specific priced unit that applies to a task: of `output_tokens:720p-video`,
 * `output_tokens:720p` and `output_tokens`, the first one in the catalogue. A price for a variant
 * that the task does not have never applies.
 */
function unitFor(basis: UnitName, rates: Rates, resolution: string, variants: readonly string[]): string {
  const extra = [[...variants], ...variants.map((variant) => [variant]), []];
  for (const words of [...extra.map((more) => [resolution, ...more]), ...extra]) {
    const name = words.length === 0 ? basis : `${basis}:${words.join("-")}`;
    if (rates.has(name)) return name;
  }
  return `${basis}:${resolution}`;
}

/** Pixels per frame, the maximum over all ratios (ModelArk's table of sizes). */
const framePixels: Readonly<Record<string, number>> = { "480p": 430_000, "720p": 940_000, "1080p": 2_100_000 };
const framesPerSecond = 24;

/**
 * Tokens of a Seedance video: the pixels of all its frames divided by 1,024; newer models add one
 * frame.
 */
function tokensOf({ resolution, seconds: length, inputSeconds }: Terms): bigint {
  const pixels = framePixels[resolution] ?? 2_100_000;
  return BigInt(Math.ceil((pixels * ((length + inputSeconds) * framesPerSecond + 1)) / 1024));
}

/**
 * The maximum cost of a task, nano-USD: its exact price unless input videos or tokens make that
 * uncertain.
 */
export function priceOf(terms: Terms, modelPrice: ModelPrice): Priced {
  return price([nominalUnit(terms, modelPrice.rates), ...imagesOf(terms, modelPrice.rates)], modelPrice);
}

/** Input images, as requested: no provider reports their number. */
function imagesOf({ inputImages = 0 }: Terms, rates: Rates): Unit[] {
  return rates.has(images) && inputImages > 0 ? [{ name: images, quantity: BigInt(inputImages) }] : [];
}

function nominalUnit(terms: Terms, rates: Rates): Unit {
  const basis = basisOf(rates);
  const quantity = basis === tokens ? tokensOf(terms) : BigInt(Math.ceil(terms.seconds + terms.inputSeconds));
  return { name: unitFor(basis, rates, terms.resolution, terms.variants), quantity };
}

/** The price at which a task was submitted. */
export function taskPrice({ rates, priceVersion }: Pick<TaskDocument, "rates" | "priceVersion">): ModelPrice {
  return { version: priceVersion, rates: new Map(rates.map(({ unit, rate }) => [unit, rate])), tiers: [] };
}

export interface Bill extends Charged {
  readonly units: Unit[];
}

/**
 * The bill of a finished task: by the provider's usage, or by the requested terms if it reported
 * none. A counter without a price makes it provisional, as for every capability.
 */
export function billOf(
  task: Pick<TaskDocument, "rates" | "terms" | "priceVersion" | "holdNanoUsd">,
  usage: VideoUsage | undefined,
): Bill {
  const modelPrice = taskPrice(task);
  const { rates } = modelPrice;
  const counted = countedUnit(task.terms, rates, usage);
  const units = [counted ?? nominalUnit(task.terms, rates), ...imagesOf(task.terms, rates), ...othersIn(usage)];
  const charged = chargeOf(price(units, modelPrice), task.holdNanoUsd);
  const estimated = counted === undefined && charged.pricing === Pricing.EXACT;
  return { ...charged, units, pricing: estimated ? Pricing.ESTIMATED : charged.pricing };
}

/** What is known of the cost of a task that did not succeed. */
export interface FailedCost {
  readonly usage: VideoUsage | undefined;
  /** Whether its provider charges for it; undefined where only its usage can show that. */
  readonly charged: boolean | undefined;
}

/**
 * The bill of a task that did not succeed: by its provider's usage, or by the requested terms if the
 * provider charges without saying for what. Undefined when the provider does not charge for it.
 */
export function failedBillOf(task: Parameters<typeof billOf>[0], { usage, charged }: FailedCost): Bill | undefined {
  if (charged === false || (charged === undefined && usage === undefined)) return undefined;
  const { rates } = taskPrice(task);
  const isCounted = countedUnit(task.terms, rates, usage) !== undefined || othersIn(usage).length > 0;
  return charged === true || isCounted ? billOf(task, usage) : undefined;
}

const othersIn = (usage: VideoUsage | undefined): Unit[] =>
  usage?.raw === undefined ? [] : unitsOfOthers(usage.raw, knownCounters);

function countedUnit(terms: Terms, rates: Rates, usage: VideoUsage | undefined): Unit | undefined {
  const basis = basisOf(rates);
  const count = basis === tokens ? usage?.tokens : usage?.seconds;
  // A video is longer than nothing: zero is no count.
  if (count === undefined || !(count > 0)) return undefined;
  const quantity = Math.ceil(count - 1e-6);
  if (!Number.isSafeInteger(quantity)) return undefined;
  const resolution = usage?.resolution ?? terms.resolution;
  return { name: unitFor(basis, rates, resolution, terms.variants), quantity: BigInt(quantity) };
}

/** A price as a task stores it: the price at the time of submission is charged. */
export function keptRates(modelPrice: ModelPrice): TaskDocument["rates"] {
  return [...modelPrice.rates].map(([unit, rate]) => ({ unit, rate }));
}
