import { boundedUnits } from "../sizing.ts";
import { type UnitName, unitTable } from "../units.ts";
import { keyOf, type PriceRow, partsOf, type Quote, rowOf } from "./quote.ts";

/** What a request for text can be held for. */
const bounded: ReadonlySet<string> = new Set(boundedUnits["chat.completions"]);

/**
 * The price of a model that generates text, from what a table has for it: units that no request is
 * held for are left out, and those that a tier has no price for are charged as the unit in whose
 * place they stand, which costs no less.
 * @returns undefined for a table without a price of input and output, or with an incomplete tier
 */
export function textPriceOf(quote: Quote): PriceRow | undefined {
  const parts = [...quote.keys()].map(partsOf);
  const tiers = [...new Set(parts.map(({ above }) => above))];
  const units = [...new Set(parts.map(({ name }) => name))].filter((name) => bounded.has(name)) as UnitName[];
  const inAll = (unit: UnitName): boolean => tiers.every((above) => quote.has(keyOf(unit, above)));
  const complete = units.filter(inAll);
  const isNeeded = (unit: UnitName): boolean => unitTable[unit].insteadOf === undefined;
  if (!complete.includes("input_tokens") || !complete.includes("output_tokens")) return undefined;
  if (units.some((unit) => isNeeded(unit) && !complete.includes(unit))) return undefined;
  return rowOf(new Map([...quote].filter(([key]) => complete.includes(partsOf(key).name as UnitName)))) as PriceRow;
}
