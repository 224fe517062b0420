import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { cachedUnits, inputUnits, type UnitName, unitTable } from "./units.ts";

const million = 1_000_000n;

/** Nano-USD per million units, by unit name. */
export type Rates = ReadonlyMap<string, bigint>;

/** Rates for requests with longer input. */
interface Tier {
  /** The tier's rates apply to the whole request when its input exceeds this. */
  readonly aboveInputTokens: bigint;
  readonly rates: Rates;
}

/** All of a model's rates. */
export interface ModelPrice {
  /** Short hash of everything below: ledger rows refer to prices by it. */
  readonly version: string;
  readonly rates: Rates;
  /** By ascending `aboveInputTokens`. */
  readonly tiers: readonly Tier[];
}

/** The cost of a request, and how it was determined. */
export interface Priced {
  readonly costNanoUsd: bigint;
  readonly pricing: Pricing;
}

/**
 * Prices units with exact integer arithmetic, rounded up once to a whole nano-USD. A unit without a
 * price and a negative count add nothing and make the result `UNPRICED`: its cost is then that of
 * the other units. A rate of zero is a price.
 */
export function price(units: readonly Unit[], modelPrice: ModelPrice): Priced {
  const rates = ratesFor(units, modelPrice);
  let sum = 0n;
  let pricing: Pricing = Pricing.EXACT;
  for (const { name, quantity } of units) {
    if (quantity === 0n) continue;
    const rate = rateOf(name, rates);
    if (rate === undefined || quantity < 0n) pricing = Pricing.UNPRICED;
    else sum += quantity * rate;
  }
  return { costNanoUsd: roundUp(sum), pricing };
}

/** Names of units that were used and have no price: see {@link price}. */
export function unpricedUnits(units: readonly Unit[], modelPrice: ModelPrice): string[] {
  const used = units.filter(({ quantity }) => quantity !== 0n);
  return itemize(used, modelPrice)
    .filter(({ rate }) => rate === undefined)
    .map(({ name }) => name);
}

/** The rate applied to a unit of a request. */
export interface Item {
  readonly name: string;
  readonly quantity: bigint;
  /** Nano-USD per million; undefined when the price has no such unit. */
  readonly rate: bigint | undefined;
}

/**
 * The rate of each unit, in the tier that applies to the whole request: the items that {@link
 * price} adds up and rounds.
 */
export function itemize(units: readonly Unit[], modelPrice: ModelPrice): Item[] {
  const rates = ratesFor(units, modelPrice);
  return units.map(({ name, quantity }) => ({ name, quantity, rate: rateOf(name, rates) }));
}

/** What a prompt cache saved. */
export interface CacheSaving {
  /** Input that was read from a cache. */
  readonly tokens: bigint;
  /** Its price as uncached input less what it cost, nano-USD per million; negative: it cost more. */
  readonly nanoUsdMillionths: bigint;
}

/** What the units that were read from a cache saved, at the rates of {@link price}. */
export function cacheSaving(units: readonly Unit[], modelPrice: ModelPrice): CacheSaving {
  const rates = ratesFor(units, modelPrice);
  let [tokens, nanoUsdMillionths] = [0n, 0n];
  for (const { name, quantity } of units) {
    if (!cachedUnits.has(name) || quantity <= 0n) continue;
    const { insteadOf } = unitTable[name as UnitName];
    const [rate, full] = [rateOf(name, rates), insteadOf && rateOf(insteadOf, rates)];
    tokens += quantity;
    if (rate !== undefined && full !== undefined) nanoUsdMillionths += quantity * (full - rate);
  }
  return { tokens, nanoUsdMillionths };
}

/** An upper bound of a quantity, to be counted as one of these units. */
export interface Limit {
  readonly quantity: bigint;
  readonly anyOf: readonly UnitName[];
}

/**
 * The maximum cost of the quantities, in nano-USD, whichever units and tier apply.
 * @throws {GatewayError} `unpriced_model` when some tier has no price for a quantity, whichever
 * unit it is counted as
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

/** The unit that costs most in any tier; of equal ones the first. Unpriced units count as free. */
export function dearestUnit<U extends UnitName>(units: readonly [U, ...U[]], modelPrice: ModelPrice): U {
  const levels = [modelPrice.rates, ...modelPrice.tiers.map((tier) => tier.rates)];
  const most = (unit: U): bigint => levels.reduce((rate, rates) => larger(rate, rateOf(unit, rates) ?? 0n), 0n);
  return units.reduce((dearest, unit) => (most(unit) > most(dearest) ? unit : dearest), units[0]);
}

/**
 * The error for usage without a price, which is not served, because its cost could not be
 * determined.
 */
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
