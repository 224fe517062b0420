import type { PriceVersionRow } from "@uag/catalog/types";
import type { CatalogEntryDocument } from "@uag/ledger/documents/catalog-overlay";
import type { CatalogChange, ListChangesRequest, ListChangesResponse } from "@uag/proto/billing/v1/catalog.ts";
import type { Billing } from "../billing.ts";
import { fieldsOf, storedOverlay } from "../catalog/overlay.ts";
import { acceptedPrices } from "../prices/accepted.ts";

function changeOf(entry: CatalogEntryDocument, fields: Record<string, unknown>): CatalogChange {
  const { _id: id, enabled, added = false, revision } = entry;
  return { id, enabled, added, revision: BigInt(revision), fields: JSON.stringify(fields) };
}

/** A model's fields with the price that was set last. */
function withPrice(entry: CatalogEntryDocument, accepted: readonly PriceVersionRow[]): Record<string, unknown> {
  const last = accepted.findLast(({ model }) => model === entry._id);
  return { ...fieldsOf(entry), ...(last && { price: last.price }) };
}

/** What operators changed of providers and models. */
export async function listChanges({ store }: Billing, _request: ListChangesRequest): Promise<ListChangesResponse> {
  const { version, providers, models } = await storedOverlay(store);
  const accepted = await acceptedPrices(store);
  const kept = providers.filter(({ deletedAt }) => deletedAt === undefined);
  return {
    overlayVersion: BigInt(version),
    providers: kept.map((entry) => {
      const { api_key: _, ...fields } = fieldsOf(entry);
      return changeOf(entry, fields);
    }),
    models: models.map((entry) => changeOf(entry, withPrice(entry, accepted))),
  };
}
