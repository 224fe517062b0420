import { type Connection, type Model, Schema } from "mongoose";

/** Number of changes to the catalogue. One document, so that of two concurrent changes one is retried. */
export interface CatalogHeadDocument {
  readonly _id: string;
  readonly version: number;
}

/** What operators changed of a provider or a model, on top of the catalogue's file. */
export interface CatalogEntryDocument {
  /** The provider's name, or the model's id. */
  readonly _id: string;
  readonly enabled: boolean;
  /** True for one that the operators added; `fields` is the whole row then. */
  readonly added?: boolean;
  /** Fields of the catalogue's row that replace those of the file, JSON. */
  readonly fields: string;
  /** Number of changes. */
  readonly revision: number;
  readonly changedAt: Date;
  /** Since when a deleted provider drains; absent for all others. */
  readonly deletedAt?: Date;
}

/** A provider's credential. */
export interface CatalogCredentialDocument {
  readonly _id: string;
  /** The provider's name. */
  readonly provider: string;
  readonly name: string;
  /** Such as `sk-...abcd`; empty for a variable. */
  readonly hint: string;
  /** The API key, encrypted (AES-256-GCM, bound to the id and the provider); absent for a variable. */
  readonly box?: Buffer;
  /** Id of the key that it is encrypted with. */
  readonly keyId?: string;
  /** The variable of the services' environment that holds the API key; empty: it is stored. */
  readonly variable: string;
  readonly enabled: boolean;
  /** Share of the calls among those of the same priority; absent: 1. */
  readonly weight?: number;
  /** Those of the lowest number are used first; absent: 0. */
  readonly priority?: number;
  /** The account at the provider; absent: one of its own. */
  readonly account?: string;
  /** The most that it may spend in a day and in a month (UTC); absent or 0: no cap. */
  readonly dailyCapUsd?: number;
  readonly monthlyCapUsd?: number;
  /** Number of changes, its creation included. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly createdBy: string;
}

const text = { type: String, required: true } as const;
const maybeText = { type: String, default: "" } as const;
const number = { type: Number, required: true } as const;
const flag = { type: Boolean, required: true } as const;
const date = { type: Date, required: true } as const;
const strict = { strict: "throw", versionKey: false } as const;

const head = new Schema<CatalogHeadDocument>({ _id: text, version: number }, strict);
const entry = new Schema<CatalogEntryDocument>(
  {
    _id: text,
    enabled: flag,
    added: { type: Boolean },
    fields: text,
    revision: number,
    changedAt: date,
    deletedAt: { type: Date },
  },
  strict,
);
const credential = new Schema<CatalogCredentialDocument>(
  {
    _id: text,
    provider: text,
    name: maybeText,
    hint: maybeText,
    box: { type: Buffer },
    keyId: { type: String },
    variable: maybeText,
    enabled: flag,
    weight: { type: Number },
    priority: { type: Number },
    account: { type: String },
    dailyCapUsd: { type: Number },
    monthlyCapUsd: { type: Number },
    revision: number,
    createdAt: date,
    createdBy: maybeText,
  },
  strict,
);

export function catalogHeadModel(connection: Connection): Model<CatalogHeadDocument> {
  return connection.model<CatalogHeadDocument>("CatalogHead", head, "catalog_heads");
}

export function catalogProviderModel(connection: Connection): Model<CatalogEntryDocument> {
  return connection.model<CatalogEntryDocument>("CatalogProvider", entry, "catalog_providers");
}

export function catalogModelModel(connection: Connection): Model<CatalogEntryDocument> {
  return connection.model<CatalogEntryDocument>("CatalogModel", entry, "catalog_models");
}

export function catalogCredentialModel(connection: Connection): Model<CatalogCredentialDocument> {
  return connection.model<CatalogCredentialDocument>("CatalogCredential", credential, "catalog_credentials");
}
