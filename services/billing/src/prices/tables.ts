import type { PriceSource } from "@uag/catalog/prices/quote";
import type { PriceTableDocument } from "@uag/ledger/documents/price-tables";
import type { Store } from "@uag/ledger/documents/store";
import type { PriceTable } from "@uag/proto/billing/v1/prices.ts";

/** The public tables, as they were fetched last, in the order of their names. */
export async function priceTables({ priceTables: kept }: Pick<Store, "priceTables">): Promise<PriceTableDocument[]> {
  return await kept.find().sort({ _id: 1 }).lean<PriceTableDocument[]>();
}

const keyOf = (provider: string, model: string): string => `${provider}\n${model}`;

/** A table as a source of prices. */
export function sourceOf({ _id: name, origin, prices }: PriceTableDocument): PriceSource {
  const byModel = new Map(
    prices.map(({ provider, model, link, rates, contextTokens, maxOutputTokens }) => {
      const quote = new Map(rates.map(([unit, nano]) => [unit, BigInt(nano)]));
      return [keyOf(provider, model), { quote, link: link || undefined, contextTokens, maxOutputTokens }];
    }),
  );
  return {
    name,
    origin,
    find: (provider, model) => byModel.get(keyOf(provider, model)),
    models: (provider) => prices.flatMap((price) => (price.provider === provider ? [price.model] : [])),
  };
}

/** A table without its prices. */
export const showTable = ({ _id: name, origin, putAt, prices }: PriceTableDocument): PriceTable => ({
  name,
  origin,
  putAtMs: BigInt(putAt.getTime()),
  models: prices.length,
});
