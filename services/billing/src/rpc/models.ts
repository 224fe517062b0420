import { namesOf } from "@uag/catalog/names";
import { parsePriceVersion, priceVersions } from "@uag/catalog/price-versions";
import type { PriceVersionRow } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import type {
  CatalogVersion,
  CreateModelRequest,
  DeleteModelRequest,
  UpdateModelRequest,
} from "@uag/proto/billing/v1/catalog.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { z } from "zod";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "../catalog/change.ts";
import { addEntry, findEntry, invalid, parsedFields, snapshot, withoutNull, writeEntry } from "../catalog/entries.ts";
import { overlayVersion, storedOverlay } from "../catalog/overlay.ts";
import { rowsOf } from "../repair/prices.ts";
import type { Transaction } from "../store/transaction.ts";

type Rows = ReturnType<typeof rowsOf>;
type Row = Rows["models"][number];
type Fields = Readonly<Record<string, unknown>>;

const maxModels = 500;

const unknownModel = (): GatewayError => new GatewayError("not_found", "The model does not exist.", { param: "id" });

/** @throws {GatewayError} `invalid_request` for an upstream at a provider that does not exist, or drains */
async function requireProviders({ store }: Billing, { session }: Transaction, { providers }: Rows, fields: Fields) {
  const { upstreams } = fields;
  if (!Array.isArray(upstreams)) return;
  const stored = await storedOverlay(store, session);
  for (const each of upstreams as unknown[]) {
    const name = String((each as { provider?: unknown } | null)?.provider);
    const drains = stored.providers.some(({ _id, deletedAt }) => _id === name && deletedAt !== undefined);
    if (!Object.hasOwn(providers, name)) throw invalid("upstreams", `The provider ${name} does not exist.`);
    if (drains) throw invalid("upstreams", `The provider ${name} was deleted and accepts no new models.`);
  }
}

/** @throws {GatewayError} `invalid_request` for an alias that another model has as one of its names */
function requireFreeAliases({ models }: Rows, id: string, { aliases }: Fields): void {
  if (!Array.isArray(aliases)) return;
  const others = models.filter((model) => model.id !== id);
  const owner = (alias: unknown) => others.find((model) => namesOf(model).some((name) => name === alias));
  for (const alias of aliases as unknown[])
    if (owner(alias) !== undefined) throw invalid("aliases", `The model ${owner(alias)?.id} has the name ${alias}.`);
}

/** @throws {GatewayError} `invalid_request` for a fallback that does not exist */
function requireFallbacks({ models }: Rows, { fallbacks }: Fields): void {
  if (!Array.isArray(fallbacks)) return;
  const unknown: unknown = fallbacks.find((each) => !models.some((model) => model.id === each));
  if (unknown !== undefined) throw invalid("fallbacks", `The model ${String(unknown)} does not exist.`);
}

/** The model that another is like: its row, with the price in force. @throws {GatewayError} */
function likeRow({ models, price_versions: versions = [] }: Rows, id: string, nowMs: number): Fields {
  const row = models.find((model) => model.id === id);
  if (row === undefined) throw invalid("like", "The model does not exist.");
  const priced = versions.findLast(({ model, effective_from: from }) => model === id && Date.parse(from) <= nowMs);
  const upstreams = row.upstreams.map((upstream) => ({ ...upstream, model: upstream.model ?? id }));
  const { aliases: _names, ...same } = row;
  return { ...same, price: priced?.price ?? row.price, upstreams };
}

/** An upstream of an embeddings model has the batch size of the model that this one is like. */
function upstreamsLike(base: Fields, given: unknown): unknown {
  const [{ batch, vectors_cut_here } = {}] = (base["upstreams"] ?? []) as Partial<Row["upstreams"][number]>[];
  if (!Array.isArray(given) || batch === undefined) return given;
  return given.map((each: unknown) => ({ batch, vectors_cut_here, ...(each as object) }));
}

/** The new model's row. @throws {GatewayError} `invalid_request` with the field */
function rowOf({ id, like }: CreateModelRequest, fields: Fields, rows: Rows, nowMs: number): Fields {
  const base = like === "" ? {} : likeRow(rows, like, nowMs);
  const upstreams = fields["upstreams"] === undefined ? base["upstreams"] : upstreamsLike(base, fields["upstreams"]);
  const [first] = Array.isArray(upstreams) ? (upstreams as { provider?: unknown }[]) : [];
  if (first === undefined) throw invalid("upstreams", "A model needs an upstream: upstreams: [{provider, model}].");
  const own = { owned_by: first.provider, ...base, created: Math.floor(nowMs / 1_000), ...fields, upstreams, id };
  if (!("price" in own))
    throw invalid("price", "A model must have a price. Set price, or set like to copy the price of another model.");
  return own;
}

/** A price that takes the place of the model's earlier ones. @throws {GatewayError} `invalid_request` */
function acceptedRow(model: string, price: unknown, { at, actor }: { at: Date; actor: Actor | undefined }) {
  const reason = "Set over the admin API.";
  const row = { model, effective_from: at.toISOString(), accepted_by: actor?.name || "unknown", reason, price };
  try {
    return parsePriceVersion(row);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const { path = [], message = "" } = error.issues[0] ?? {};
    throw new GatewayError("invalid_request", `${path.join(".")}: ${message}`, { param: path.join("."), cause: error });
  }
}

const version = async ({ store }: Billing): Promise<CatalogVersion> => ({
  overlayVersion: BigInt(await overlayVersion(store)),
});

const changedSince = (error: unknown): unknown =>
  isDuplicate(error)
    ? new GatewayError("already_exists", "The model was changed at the same time. Read it again.", { param: "id" })
    : error;

/** Adds a model. Its id may have been in use before: the earlier prices stay with their receipts. */
export async function createModel(billing: Billing, request: CreateModelRequest): Promise<CatalogVersion> {
  const { id, enabled, actor } = request;
  const given = withoutNull(parsedFields(request.fields));
  const source = await billing.readSource();
  const rows = rowsOf(source);
  const holder = rows.models.find((model) => namesOf(model).includes(id));
  if (holder !== undefined && holder.id !== id)
    throw invalid("id", `The model ${holder.id} has this name as an alias.`);
  requireFreeAliases(rows, id, given);
  requireFallbacks(rows, given);
  if (holder !== undefined)
    throw new GatewayError("already_exists", "A model with this id already exists. Change it with PATCH.", {
      param: "id",
    });
  await changeCatalog(billing, actor, async (transaction) => {
    const fields = rowOf(request, given, rows, transaction.at.getTime());
    await requireProviders(billing, transaction, rows, fields);
    const made = await addEntry(billing.store.catalogModels, transaction, {
      name: id,
      enabled,
      fields,
      max: maxModels,
    });
    const earlier = source.accepted.some(({ model }) => model === id);
    const accepted = earlier ? acceptedRow(id, fields["price"], { at: transaction.at, actor }) : undefined;
    const audit = { action: "model.create", targetId: id, after: snapshot(made) };
    return { result: undefined, audit, priced: id, accepted };
  }).catch((error: unknown) => {
    throw changedSince(error);
  });
  return await version(billing);
}

/** The price that a change sets, if it differs from the model's latest one. */
function priceSet(
  { models, price_versions: versions }: Rows,
  { id, price, at, actor }: { id: string; price: unknown; at: Date; actor: Actor | undefined },
): PriceVersionRow | undefined {
  const model = models.find((each) => each.id === id);
  if (model === undefined || price === undefined) return undefined;
  const row = acceptedRow(id, price, { at, actor });
  const latest = priceVersions(model, versions).at(-1)?.accepted?.price ?? model.price;
  return JSON.stringify(latest) === JSON.stringify(row.price) ? undefined : row;
}

/** Changes a model; a price becomes a version of its own, in force at once. */
export async function updateModel(billing: Billing, request: UpdateModelRequest): Promise<CatalogVersion> {
  const { id, revision, enabled, actor } = request;
  const { price, ...fields } = parsedFields(request.fields);
  if ("id" in fields) throw invalid("id", "A model's id cannot change. Add a model that is like this one.");
  if (price === null) throw invalid("price", "A model must have a price.");
  const rows = rowsOf(await billing.readSource());
  if (!rows.models.some((model) => model.id === id)) throw unknownModel();
  requireFreeAliases(rows, id, fields);
  requireFallbacks(rows, fields);
  await changeCatalog(billing, actor, async (transaction) => {
    await requireProviders(billing, transaction, rows, fields);
    const change = { name: id, kind: "model", revision, enabled, fields };
    const written = await writeEntry(billing.store.catalogModels, transaction, change);
    const accepted = priceSet(rows, { id, price, at: transaction.at, actor });
    return { result: undefined, audit: { action: "model.update", targetId: id, ...written }, priced: id, accepted };
  }).catch((error: unknown) => {
    throw changedSince(error);
  });
  return await version(billing);
}

/** Deletes a model that operators added. Requests in progress keep the catalogue that they began with. */
export async function deleteModel(billing: Billing, { id, actor }: DeleteModelRequest): Promise<CatalogVersion> {
  const { store } = billing;
  const { models } = rowsOf(await billing.readSource());
  const inFile = models.some((model) => model.id === id);
  const replaced = models.find(({ fallbacks }) => fallbacks.includes(id));
  await changeCatalog(billing, actor, async (transaction) => {
    const before = await findEntry(store.catalogModels, transaction, id);
    if (!before?.added)
      throw inFile ? invalid("id", "This model is in the catalogue's file. Disable it instead.") : unknownModel();
    if (replaced !== undefined)
      throw invalid("id", `The model ${replaced.id} has it among its fallbacks. Remove it there first.`);
    await store.catalogModels.deleteOne({ _id: id }, { session: transaction.session });
    return { result: undefined, audit: { action: "model.delete", targetId: id, before: snapshot(before) } };
  });
  return await version(billing);
}
