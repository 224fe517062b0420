import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { inputUnits, type UnitName, unitTable } from "./units.ts";

const million = 1_000_000n;

/** Nano-USD per million units, by unit name. */
export type Rates = ReadonlyMap<string, bigint>;

/** Rates for requests with a longer input. */
export interface Tier {
  /** The tier's rates hold for the whole request when its input is larger than this. */
  readonly aboveInputTokens: bigint;
  readonly rates: Rates;
}

/** All of a model's rates. */
export interface ModelPrice {
  /** Short hash of everything below: a ledger row names the price it was charged at. */
  readonly version: string;
  readonly rates: Rates;
  /** By rising `aboveInputTokens`. */
  readonly tiers: readonly Tier[];
}

/** What a request costs, and how that was found. */
export interface Priced {
  readonly costNanoUsd: bigint;
  readonly pricing: Pricing;
}

const unpriced: Priced = { costNanoUsd: 0n, pricing: Pricing.UNPRICED };

/**
 * What the units cost: exact integer arithmetic, rounded once, upwards to a whole nano-USD. A unit
 * that the price does not know, or a negative count, makes the whole request `UNPRICED` and free
 * for now; a rate of zero is a price.
 */
export function price(units: readonly Unit[], modelPrice: ModelPrice): Priced {
  const rates = ratesFor(units, modelPrice);
  let sum = 0n;
  for (const { name, quantity } of units) {
    if (quantity === 0n) continue;
    const rate = rateOf(name, rates);
    if (rate === undefined || quantity < 0n) return unpriced;
    sum += quantity * rate;
  }
  return { costNanoUsd: roundUp(sum), pricing: Pricing.EXACT };
}

/** What a unit is charged at within a request. */
export interface Item {
  readonly name: string;
  readonly quantity: bigint;
  /** Nano-USD for a million; undefined when the price does not say. */
  readonly rate: bigint | undefined;
}

/**
 * The rate of each unit, by the tier that the whole request falls into: what {@link price} adds up
 * and rounds.
 */
export function itemize(units: readonly Unit[], modelPrice: ModelPrice): Item[] {
  const rates = ratesFor(units, modelPrice);
  return units.map(({ name, quantity }) => ({ name, quantity, rate: rateOf(name, rates) }));
}

/**
 * A quantity of which is known only that it is at most this, and that it will be counted as one of
 * these units.
 */
export interface Limit {
  readonly quantity: bigint;
  readonly anyOf: readonly UnitName[];
}

/**
 * The most that the quantities can cost, in nano-USD, whichever of the units and tiers applies.
 * @throws {GatewayError} `unpriced_model` when a quantity has no price in one of the tiers,
 * whichever unit it is counted as
 */
export function bound(limits: readonly Limit[], modelPrice: ModelPrice): bigint {
  const levels = [modelPrice.rates, ...modelPrice.tiers.map((tier) => tier.rates)];
  let sum = 0n;
  for (const { quantity, anyOf } of limits) {
    if (quantity === 0n) continue;
    let dearest = 0n;
    for (const rates of levels) dearest = larger(dearest, dearestOf(anyOf, rates));
    sum += quantity * dearest;
  }
  return roundUp(sum);
}

function dearestOf(units: readonly UnitName[], rates: Rates): bigint {
  let dearest: bigint | undefined;
  for (const unit of units) {
    const rate = rateOf(unit, rates);
    if (rate !== undefined) dearest = larger(dearest ?? 0n, rate);
  }
  if (dearest === undefined) throw unpricedModel(units.join(" or "));
  return dearest;
}

/** What has no price is not served: nobody could say what it owes. */
export function unpricedModel(what: string): GatewayError {
  return new GatewayError("unpriced_model", undefined, { cause: new Error(`there is no price for ${what}`) });
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

function ratesFor(units: readonly Unit[], modelPrice: ModelPrice): Rates {
  if (modelPrice.tiers.length === 0) return modelPrice.rates;
  let input = 0n;
  for (const { name, quantity } of units) if (inputUnits.has(name)) input += quantity;
  return modelPrice.tiers.findLast((tier) => input > tier.aboveInputTokens)?.rates ?? modelPrice.rates;
}

function rateOf(name: string, rates: Rates): bigint | undefined {
  const rate = rates.get(name);
  if (rate !== undefined || !Object.hasOwn(unitTable, name)) return rate;
  const substitute = unitTable[name as UnitName].insteadOf;
  return substitute === undefined ? undefined : rates.get(substitute);
}

function roundUp(nanoUsdMillionths: bigint): bigint {
  return (nanoUsdMillionths + million - 1n) / million;
}
