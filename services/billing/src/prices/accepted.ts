import { parsePriceVersion } from "@uag/catalog/price-versions";
import type { PriceVersionRow } from "@uag/catalog/types";
import type { AcceptedPriceDocument } from "@uag/ledger/documents/accepted-prices";
import type { Store } from "@uag/ledger/documents/store";
import type { Transaction } from "../store/transaction.ts";

/** The prices that were accepted here, in the order of their acceptance. */
export async function acceptedPrices({
  acceptedPrices: kept,
}: Pick<Store, "acceptedPrices">): Promise<PriceVersionRow[]> {
  const found = await kept.find().sort({ acceptedAt: 1, _id: 1 }).lean<AcceptedPriceDocument[]>();
  return found.map(({ row }) => parsePriceVersion(JSON.parse(row)));
}

/**
 * Stores an accepted price, which is the model's n-th.
 * @throws a duplicate error when another was accepted since `nth` was counted
 */
export async function insertAccepted(
  { acceptedPrices: kept }: Pick<Store, "acceptedPrices">,
  { session, at }: Transaction,
  { row, nth }: { readonly row: PriceVersionRow; readonly nth: number },
): Promise<void> {
  const document = { _id: `${row.model}:${nth}`, model: row.model, row: JSON.stringify(row), acceptedAt: at };
  await kept.collection.insertOne(document as never, { session });
}
