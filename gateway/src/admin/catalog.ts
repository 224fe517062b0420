import type { catalogChanges } from "@uag/contract/responses/admin-providers";
import type { Shown } from "@uag/contract/responses/shown";
import type { CatalogChange } from "@uag/proto/billing/v1/catalog.ts";
import type { AdminHandler } from "./admin.ts";

type Shows = Shown<typeof catalogChanges>;

const showChange = ({ id, added, enabled, revision, fields }: CatalogChange): Shows["models"][number] => ({
  id,
  source: added ? "runtime" : "file",
  enabled,
  revision: Number(revision),
  fields: JSON.parse(fields) as Record<string, unknown>,
});

/** What operators changed of the catalogue, on top of its file. */
export const getCatalog: AdminHandler = async ({ clients }) => {
  const { overlayVersion, providers, models } = await clients.catalog.listChanges({});
  const body: Shows = {
    object: "catalog_changes",
    version: Number(overlayVersion),
    providers: providers.map(showChange),
    models: models.map(showChange),
  };
  return { body };
};
