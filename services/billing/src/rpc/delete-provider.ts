import type { CatalogVersion, DeleteProviderRequest } from "@uag/proto/billing/v1/catalog.ts";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "../catalog/change.ts";
import { findEntry, invalid, snapshot } from "../catalog/entries.ts";
import { overlayOf, overlayVersion, storedOverlay } from "../catalog/overlay.ts";
import { rowsOf } from "../repair/prices.ts";
import type { Transaction } from "../store/transaction.ts";
import { requireProvider } from "./providers.ts";

/**
 * Deletes the models that only this provider serves.
 * @returns their ids
 * @throws {GatewayError} `invalid_request` when another provider serves one too
 */
async function deleteModels(billing: Billing, { session }: Transaction, provider: string): Promise<string[]> {
  const stored = await storedOverlay(billing.store, session);
  const { models } = rowsOf({ ...(await billing.readSource()), overlay: overlayOf(stored) });
  const served = models.filter(({ upstreams }) => upstreams.some((upstream) => upstream.provider === provider));
  const added = new Set(stored.models.flatMap(({ _id, added: own }) => (own ? [_id] : [])));
  const shared = served.filter(
    ({ id, upstreams }) => !added.has(id) || upstreams.some((upstream) => upstream.provider !== provider),
  );
  if (shared.length > 0) {
    const names = shared.slice(0, 10).map(({ id }) => id);
    throw invalid(
      "id",
      `Other models have this provider among their upstreams. Change them first: ${names.join(", ")}.`,
    );
  }
  const ids = served.map(({ id }) => id);
  await billing.store.catalogModels.deleteMany({ _id: { $in: ids } }, { session });
  return ids;
}

/**
 * Deletes a provider that operators added: new requests no longer find it or its models. Its row and
 * credentials stay until tasks that it has are complete.
 */
export async function deleteProvider(billing: Billing, request: DeleteProviderRequest): Promise<CatalogVersion> {
  const { name, actor } = request;
  if (!(await requireProvider(billing, name)))
    throw invalid("id", "This provider is in the catalogue's file. Disable it instead.");
  const { store } = billing;
  await changeCatalog(billing, actor, async (transaction) => {
    const { session, at } = transaction;
    const before = await findEntry(store.catalogProviders, transaction, name);
    const models = await deleteModels(billing, transaction, name);
    const change = { $set: { enabled: false, deletedAt: at, changedAt: at }, $inc: { revision: 1 } };
    await store.catalogProviders.updateOne({ _id: name }, change, { session });
    const after = JSON.stringify({ deleted_models: models });
    return { result: undefined, audit: { action: "provider.delete", targetId: name, before: snapshot(before), after } };
  });
  return { overlayVersion: BigInt(await overlayVersion(store)) };
}
