import type { CatalogOverlay, OverlayCredential, OverlayEntry } from "@uag/catalog/overlay";
import type {
  CatalogCredentialDocument,
  CatalogEntryDocument,
  CatalogHeadDocument,
} from "@uag/ledger/documents/catalog-overlay";
import type { Store } from "@uag/ledger/documents/store";
import type { ClientSession } from "mongoose";

/** The collections of the overlay. */
export type OverlayStore = Pick<Store, "catalogHeads" | "catalogProviders" | "catalogModels" | "catalogCredentials">;

/** The document that counts the changes. */
export const headId = "catalog";

/** The overlay as it is stored. */
export interface StoredOverlay {
  readonly version: number;
  readonly providers: readonly CatalogEntryDocument[];
  readonly models: readonly CatalogEntryDocument[];
  /** Oldest first. */
  readonly credentials: readonly CatalogCredentialDocument[];
}

/** The number of changes so far. */
export async function overlayVersion(
  { catalogHeads }: Pick<Store, "catalogHeads">,
  session: ClientSession | null = null,
): Promise<number> {
  return (await catalogHeads.findById(headId).session(session).lean<CatalogHeadDocument>())?.version ?? 0;
}

/** @param session of a transaction, for what it reads and has written */
export async function storedOverlay(store: OverlayStore, session: ClientSession | null = null): Promise<StoredOverlay> {
  // The version first: if a change comes in between, the next poll reads it again.
  const version = await overlayVersion(store, session);
  const providers = await entriesIn(store.catalogProviders, session);
  const models = await entriesIn(store.catalogModels, session);
  const credentials = await store.catalogCredentials
    .find()
    .session(session)
    .sort({ createdAt: 1, _id: 1 })
    .lean<CatalogCredentialDocument[]>();
  return { version, providers, models, credentials };
}

const entriesIn = (entries: Store["catalogModels"], session: ClientSession | null): Promise<CatalogEntryDocument[]> =>
  entries.find().session(session).sort({ _id: 1 }).lean<CatalogEntryDocument[]>();

/** A text of the catalogue that refers to a variable. */
export const referenceTo = (variable: string): string => `\${${variable}}`;

/** How a credential shares its provider's calls, and what it may spend; 0: no cap. */
export const shareOf = (credential: CatalogCredentialDocument) => {
  const { weight = 1, priority = 0, account = "", dailyCapUsd = 0, monthlyCapUsd = 0 } = credential;
  return { weight, priority, account, dailyCapUsd, monthlyCapUsd };
};

function withoutSecret(credential: CatalogCredentialDocument): OverlayCredential {
  const { _id: id, provider, name, enabled, variable } = credential;
  const secret = variable === "" ? { value: "" } : { reference: referenceTo(variable) };
  return { id, provider, name, enabled, ...shareOf(credential), secret };
}

/** The fields of an entry; none for one that was not changed. */
export const fieldsOf = (entry: CatalogEntryDocument | undefined): Record<string, unknown> =>
  entry === undefined ? {} : (JSON.parse(entry.fields) as Record<string, unknown>);

function entryOf(entry: CatalogEntryDocument): OverlayEntry {
  const { _id: name, enabled, added = false } = entry;
  return { name, enabled, added, fields: fieldsOf(entry) };
}

/** The overlay as the catalogue is read with it; stored credentials are empty. */
export const overlayOf = ({ version, providers, models, credentials }: StoredOverlay): CatalogOverlay => ({
  version,
  providers: providers.map(entryOf),
  models: models.map(entryOf),
  credentials: credentials.map(withoutSecret),
});
