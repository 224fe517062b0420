import { modelEntry } from "@uag/catalog/model-entry";
import { allEnabled } from "@uag/catalog/overlay";
import type { CatalogEntryDocument } from "@uag/ledger/documents/catalog-overlay";
import type { ListCatalogModelsRequest, ListCatalogModelsResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";
import { fieldsOf } from "../catalog/overlay.ts";
import { catalogOf } from "../repair/prices.ts";

/** The models of the current catalogue, disabled ones included, with what was changed of them. */
export async function listCatalogModels(
  { clock, readSource, store }: Billing,
  _request: ListCatalogModelsRequest,
): Promise<ListCatalogModelsResponse> {
  const source = await readSource();
  // Prices that were set take effect at the database's time, which may be ahead of this process's.
  const { models, version } = catalogOf({ ...source, overlay: allEnabled(source.overlay) }, await clock.moment());
  const entries = new Map(
    (await store.catalogModels.find().lean<CatalogEntryDocument[]>()).map((entry) => [entry._id, entry]),
  );
  return {
    version,
    models: [...models.values()].map((model) => ({
      id: model.id,
      entry: JSON.stringify(modelEntry(model)),
      priceVersion: model.price.version,
      upstreams: model.upstreams.map((upstream) => ({
        provider: upstream.provider.name,
        model: upstream.model,
        priority: upstream.priority,
        weight: upstream.weight,
        cost: upstream.cost?.own === undefined ? "" : JSON.stringify(upstream.cost.own),
      })),
      strategy: model.strategy ?? "priority",
      fallbacks: [...(model.fallbacks ?? [])],
      ...showChange(entries.get(model.id)),
    })),
  };
}

function showChange(entry: CatalogEntryDocument | undefined) {
  const added = entry?.added ?? false;
  return {
    enabled: entry?.enabled ?? true,
    added,
    changed: added ? [] : Object.keys(fieldsOf(entry)),
    revision: BigInt(entry?.revision ?? 0),
  };
}
