import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { CatalogEntryDocument } from "@uag/ledger/documents/catalog-overlay";
import type { Store } from "@uag/ledger/documents/store";
import type { Transaction } from "../store/transaction.ts";
import { fieldsOf } from "./overlay.ts";

type Entries = Store["catalogModels"];
type Fields = Readonly<Record<string, unknown>>;

export const invalid = (param: string, text: string): GatewayError =>
  new GatewayError("invalid_request", text, { param });

const maxFieldBytes = 16 * 1024;

/**
 * Fields of a row of the catalogue, as a request has them.
 * @throws {GatewayError} `invalid_request`
 */
export function parsedFields(text: string): Fields {
  if (Buffer.byteLength(text) > maxFieldBytes)
    throw invalid("fields", "A provider's or a model's fields can have at most 16 KiB.");
  return text === "" ? {} : (JSON.parse(text) as Fields);
}

/** The fields without those that are null: they are as in the file, or the default. */
export const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** The snapshot for the audit log. */
export const snapshot = (entry: CatalogEntryDocument | undefined): string =>
  JSON.stringify({ ...fieldsOf(entry), enabled: entry?.enabled ?? true });

export async function findEntry(
  entries: Entries,
  { session }: Pick<Transaction, "session">,
  name: string,
): Promise<CatalogEntryDocument | undefined> {
  return (await entries.findById(name).session(session).lean<CatalogEntryDocument>()) ?? undefined;
}

/** A change of an entry; absent fields stay. */
export interface EntryChange {
  readonly name: string;
  /** `provider` or `model`, for the error. */
  readonly kind: string;
  /** As the caller has read it. */
  readonly revision: bigint | undefined;
  readonly enabled?: boolean | undefined;
  /** Merged into those of before; null: as in the file, or the default. */
  readonly fields: Fields;
}

/** An entry's snapshots for the audit log. */
export interface Written {
  readonly before: string;
  readonly after: string;
}

/**
 * Writes a change of an entry.
 * @throws {GatewayError} `already_exists` when it was changed since the caller has read it
 */
export async function writeEntry(entries: Entries, transaction: Transaction, change: EntryChange): Promise<Written> {
  const { name, kind, revision } = change;
  const before = await findEntry(entries, transaction, name);
  if (revision !== BigInt(before?.revision ?? 0))
    throw new GatewayError("already_exists", `The ${kind} was changed since you read it. Read it again.`, {
      param: "revision",
    });
  const after: CatalogEntryDocument = {
    _id: name,
    enabled: change.enabled ?? before?.enabled ?? true,
    ...(before?.added && { added: true }),
    fields: JSON.stringify(withoutNull({ ...fieldsOf(before), ...change.fields })),
    revision: (before?.revision ?? 0) + 1,
    changedAt: transaction.at,
  };
  await entries.replaceOne({ _id: name }, after, { upsert: true, session: transaction.session });
  return { before: snapshot(before), after: snapshot(after) };
}

/**
 * Adds an entry of the operators' own.
 * @throws {GatewayError} `invalid_request` when there are `max` already
 */
export async function addEntry(
  entries: Entries,
  { session, at }: Transaction,
  { name, enabled, fields, max }: { name: string; enabled: boolean; fields: Fields; max: number },
): Promise<CatalogEntryDocument> {
  if ((await entries.countDocuments({}).session(session)) >= max)
    throw invalid("id", `At most ${max} can be added or changed here. Delete one, or use the catalogue's file.`);
  const text = JSON.stringify(fields);
  const made = { _id: name, enabled, added: true, fields: text, revision: 1, changedAt: at };
  await entries.create([made], { session });
  return made;
}
