import { createHash } from "node:crypto";
import type { CatalogCredentialDocument } from "@uag/ledger/documents/catalog-overlay";
import type { GetOverlayRequest, GetOverlayResponse, OverlayCredential } from "@uag/proto/billing/v1/catalog.ts";
import type { Billing } from "../billing.ts";
import { overlayVersion, referenceTo, shareOf, storedOverlay } from "../catalog/overlay.ts";
import { acceptedPrices } from "../prices/accepted.ts";

async function opened(
  { store, credentials }: Pick<Billing, "store" | "credentials">,
  credential: CatalogCredentialDocument,
): Promise<OverlayCredential> {
  const { _id: id, provider, name, enabled, variable } = credential;
  const shown = { id, provider, name, enabled, share: shareOf(credential) };
  if (variable !== "") return { ...shown, reference: referenceTo(variable) };
  return { ...shown, value: await credentials.open(store, credential) };
}

/** All changes on top of the catalogue's file; none if the caller has this version of them. */
export async function getOverlay(billing: Billing, { version: known }: GetOverlayRequest): Promise<GetOverlayResponse> {
  const { store, events } = billing;
  const rows = (await acceptedPrices(store)).map((row) => JSON.stringify(row));
  const prices = createHash("sha256").update(rows.join("\n")).digest("hex").slice(0, 16);
  const current = await overlayVersion(store);
  events.catalogVersion(current);
  const nothing = { providers: [], models: [], credentials: [], acceptedPrices: [] };
  if (`${current}.${prices}` === known)
    return { version: known, changed: false, overlayVersion: BigInt(current), ...nothing };
  const { version, providers, models, credentials } = await storedOverlay(store);
  return {
    version: `${version}.${prices}`,
    changed: true,
    overlayVersion: BigInt(version),
    providers: providers.map(({ _id: name, enabled, fields, added = false }) => ({ name, enabled, fields, added })),
    models: models.map(({ _id: id, enabled, fields, added = false }) => ({ id, enabled, fields, added })),
    credentials: await Promise.all(credentials.map((credential) => opened(billing, credential))),
    acceptedPrices: rows,
  };
}
