import { cacheSaving, itemize as itemsOf } from "@uag/catalog/price";
import { unitOf, unitTable } from "@uag/catalog/units";
import type { ItemizeRequest, ItemizeResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";
import { findPrice } from "../repair/price-history.ts";

const million = 1_000_000n;

/** Itemizes units at the price that was in force at the time of the request. */
export async function itemize(billing: Billing, { priceVersion, units }: ItemizeRequest): Promise<ItemizeResponse> {
  const price = await findPrice(billing.store, priceVersion);
  if (price === undefined) return { items: [], cacheSaving: undefined };
  const { tokens, nanoUsdMillionths } = cacheSaving(units, price);
  return {
    cacheSaving: { tokens, nanoUsdMillionths },
    items: itemsOf(units, price).map(({ name, quantity, rate }) => {
      const unit = unitOf(name);
      const per = unit === undefined ? million : BigInt(unitTable[unit].per);
      return { unit: name, quantity, per, ...(rate !== undefined && { nanoUsdPerMillion: rate }) };
    }),
  };
}
