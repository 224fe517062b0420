import type { PriceTableDocument } from "@uag/ledger/documents/price-tables";
import type { PriceTable, PutPriceTableRequest } from "@uag/proto/billing/v1/prices.ts";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { showTable } from "../prices/tables.ts";

/** Replaces a public table of prices. No price changes by it. */
export async function putPriceTable(
  { store, transact }: Billing,
  { name, origin, prices, actor }: PutPriceTableRequest,
): Promise<PriceTable> {
  const rows = prices.map(({ rates, contextTokens, maxOutputTokens, ...of }) => ({
    ...of,
    ...(contextTokens !== undefined && { contextTokens: Number(contextTokens) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens: Number(maxOutputTokens) }),
    rates: Object.entries(rates).map(([unit, nano]) => [unit, String(nano)] as const),
  }));
  return await transact(async (transaction) => {
    const { session, at } = transaction;
    const table: PriceTableDocument = { _id: name, origin, putAt: at, prices: rows };
    await store.priceTables.replaceOne({ _id: name }, table, { upsert: true, session });
    const after = JSON.stringify({ origin, models: prices.length });
    await recordChange(store, transaction, { actor, action: "price_table.put", targetId: name, after });
    return showTable(table);
  });
}
