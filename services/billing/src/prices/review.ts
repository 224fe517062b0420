import { compareModel, latestPrices, type ModelDifference, type PricedModel } from "@uag/catalog/prices/compare";
import { type Proposal, propose } from "@uag/catalog/prices/propose";
import { type PriceSource, quoteOf } from "@uag/catalog/prices/quote";
import type { PriceVersion } from "@uag/catalog/types";
import type { Billing } from "../billing.ts";
import { type CatalogSource, catalogOf, rowsOf } from "../repair/prices.ts";
import { priceTables, sourceOf } from "./tables.ts";

/** A model's latest price beside the tables'. */
export interface Reviewed {
  readonly model: PricedModel;
  /** All its prices, the latest last. */
  readonly versions: readonly PriceVersion[];
  readonly found: ModelDifference;
  /** What can be accepted, by the table that it follows; empty: what both have. */
  readonly options: ReadonlyMap<string, Proposal>;
}

/** The changes that can be accepted: what the tables agree on, and what each has. */
function optionsOf(model: PricedModel, found: ModelDifference): Map<string, Proposal> {
  const ours = quoteOf(model.price);
  const agreed = propose(ours, found, {});
  const options = new Map(agreed.changes.size === 0 ? [] : [["", agreed]]);
  for (const table of found.sources) {
    const own = propose(ours, found, { table });
    if (own.changes.size > agreed.changes.size) options.set(table, own);
  }
  return options;
}

/** Compares the whole catalogue with the tables that are kept. */
export async function review({ store, readSource }: Pick<Billing, "store" | "readSource">): Promise<{
  source: CatalogSource;
  tables: PriceSource[];
  models: Reviewed[];
}> {
  const source = await readSource();
  const tables = (await priceTables(store)).map(sourceOf);
  const { models } = catalogOf(source);
  const reviewed = latestPrices(rowsOf(source)).map((model) => {
    const found = compareModel(model, tables);
    return { model, versions: models.get(model.id)?.prices ?? [], found, options: optionsOf(model, found) };
  });
  return { source, tables, models: reviewed };
}
