import { type Difference, type ModelDifference, needsReview } from "@uag/catalog/prices/compare";
import { partsOf, perOf, usdDecimal } from "@uag/catalog/prices/quote";
import { usdText } from "@uag/runtime/usd";
import type { UnitsByModel } from "./last-month.ts";
import { sourceNames } from "./sources.ts";

/** The price that the sources agree on, or the only one that a source has. */
function offered({ finding, theirs }: Difference): bigint | undefined {
  return finding === "changed" || finding === "one_source" ? [...theirs.values()][0] : undefined;
}

/** The change in percent, with two decimals. */
export function changeText(ours: bigint | undefined, next: bigint | undefined): string {
  if (ours === undefined || next === undefined) return "-";
  if (ours === 0n) return next === 0n ? "0.00" : "new";
  const hundredths = ((next - ours) * 10_000n) / ours;
  const size = hundredths < 0n ? -hundredths : hundredths;
  return `${hundredths < 0n ? "-" : "+"}${size / 100n}.${String(size % 100n).padStart(2, "0")}`;
}

/** The cost of a quantity at a price, in USD. */
function costText(unit: string, quantity: bigint, nanoUsd: bigint | undefined): string {
  return nanoUsd === undefined ? "-" : usdText((quantity * nanoUsd) / perOf(unit)).slice(0, -5);
}

/**
 * The cost of last month's usage of a price's unit, at the old and the new price. Usage is not
 * stored by tier, so all of it counts at the base price.
 */
function monthText(model: string, difference: Difference, used: UnitsByModel | undefined): string[] {
  const next = offered(difference);
  if (used === undefined || next === undefined || partsOf(difference.key).above > 0) return ["-", "-"];
  const quantity = used.get(model)?.get(difference.key) ?? 0n;
  return [costText(difference.key, quantity, difference.ours), costText(difference.key, quantity, next)];
}

export const diffHead = [
  "MODEL",
  "PRICE OF",
  "OURS",
  ...sourceNames.map((name) => name.toUpperCase()),
  "CHANGE %",
  "LAST MONTH",
  "AT NEW",
  "FINDING",
];

/** The rows of a model in a table of differences. */
export function diffRows({ model, differences }: ModelDifference, used: UnitsByModel | undefined, all: boolean) {
  return differences
    .filter((difference) => all || needsReview(difference))
    .map((difference) => {
      const { key, ours, theirs, finding } = difference;
      const shown = (nano: bigint | undefined): string => (nano === undefined ? "-" : usdDecimal(nano));
      const bySource = sourceNames.map((name) => shown(theirs.get(name)));
      const month = monthText(model, difference, used);
      return [model, key, shown(ours), ...bySource, changeText(ours, offered(difference)), ...month, finding];
    });
}
