import { modelEntry } from "@uag/catalog/model-entry";
import type { ListCatalogModelsRequest, ListCatalogModelsResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";

/** The models of the current catalogue. */
export async function listCatalogModels(
  { readCatalog }: Billing,
  _request: ListCatalogModelsRequest,
): Promise<ListCatalogModelsResponse> {
  const { models, version } = await readCatalog();
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
      })),
    })),
  };
}
