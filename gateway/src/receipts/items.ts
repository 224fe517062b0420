import type { publicReceipt } from "@uag/contract/responses/receipts";
import type { Shown } from "@uag/contract/responses/shown";
import type { CacheSaving, Item } from "@uag/proto/billing/v1/admin.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";

type Items = Shown<typeof publicReceipt>["items"];

const rateDecimals = 15;

/** 10⁻¹⁵ USD as text: nano-USD per million of a unit, or the cost of an amount of it. */
function exactUsd(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(rateDecimals + 1, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -rateDecimals)}.${digits.slice(-rateDecimals)}`;
}

const unpriced = { price_usd: null, per: null, cost_usd: null };

function showItem({ unit, quantity, nanoUsdPerMillion: rate, per }: Item): Items[number] {
  if (rate === undefined) return { unit, quantity, ...unpriced };
  return { unit, quantity, price_usd: exactUsd(rate * per), per, cost_usd: exactUsd(rate * quantity) };
}

/** What the prompt cache saved; null where the price is no longer known. */
export function showSaving(saving: CacheSaving | undefined): Shown<typeof publicReceipt>["cache_saving"] {
  if (saving === undefined) return null;
  return { tokens: saving.tokens, saved_usd: exactUsd(saving.nanoUsdMillionths) };
}

/** The items of a bill. Where the price is no longer known, only the units are shown. */
export function itemsOf(event: UsageEvent, priced: readonly Item[]): Items {
  if (priced.length > 0) return priced.map(showItem);
  return event.units.map(({ name, quantity }) => ({ unit: name, quantity, ...unpriced }));
}
