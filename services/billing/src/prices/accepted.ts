import { parsePriceVersion } from "@uag/catalog/price-versions";
import type { PriceVersionRow } from "@uag/catalog/types";
import type { AcceptedPriceDocument } from "@uag/ledger/documents/accepted-prices";
import type { Store } from "@uag/ledger/documents/store";

/** The prices that were accepted here, in the order of their acceptance. */
export async function acceptedPrices({
  acceptedPrices: kept,
}: Pick<Store, "acceptedPrices">): Promise<PriceVersionRow[]> {
  const found = await kept.find().sort({ acceptedAt: 1, _id: 1 }).lean<AcceptedPriceDocument[]>();
  return found.map(({ row }) => parsePriceVersion(JSON.parse(row)));
}
