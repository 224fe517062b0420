import { noOverlay } from "@uag/catalog/overlay";
import { type ProviderTemplate, providerTemplates } from "@uag/catalog/templates";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import type {
  CatalogVersion,
  CreateProviderRequest,
  ListTemplatesRequest,
  ListTemplatesResponse,
} from "@uag/proto/billing/v1/catalog.ts";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "../catalog/change.ts";
import { addEntry, invalid, parsedFields, snapshot, withoutNull } from "../catalog/entries.ts";
import { overlayVersion, storedOverlay } from "../catalog/overlay.ts";
import { rowsOf } from "../repair/prices.ts";
import type { Transaction } from "../store/transaction.ts";
import { newCredential } from "./credentials.ts";
import { addressOf, checkAddress, settingsOf } from "./providers.ts";

const nameForm = /^[a-z0-9-]{1,64}$/;
const maxProviders = 100;

/** The providers of the catalogue's file, without what only the file may have, and the known ones. */
export async function templates({ readSource }: Billing): Promise<Map<string, ProviderTemplate>> {
  const { providers } = rowsOf({ ...(await readSource()), overlay: noOverlay });
  const own = Object.entries(providers).map(([name, row]): [string, ProviderTemplate] => {
    const { protocol, developer_role, openai_options, on_abort, caches_from_tokens, api_version } = row;
    const { unsupported_fields, free_fields } = row;
    const settings = { developer_role, openai_options, on_abort, caches_from_tokens, api_version };
    const fields = { unsupported_fields, free_fields };
    return [name, { protocol, base_url: addressOf(row.base_url), ...settings, ...fields }];
  });
  return new Map([...own, ...Object.entries(providerTemplates)]);
}

/** What a new provider may start from. */
export async function listTemplates(billing: Billing, _request: ListTemplatesRequest): Promise<ListTemplatesResponse> {
  const known = [...(await templates(billing))];
  return { templates: known.map(([name, { protocol, base_url }]) => ({ name, protocol, baseUrl: base_url })) };
}

/** The new provider's row. @throws {GatewayError} `invalid_request` with the field */
async function rowOf(billing: Billing, { name, template, fields }: CreateProviderRequest): Promise<object> {
  if (!nameForm.test(name)) throw invalid("id", "The id must have 1 to 64 of a-z, 0-9 and -.");
  const start = template === "" ? {} : (await templates(billing)).get(template);
  if (start === undefined)
    throw invalid("template", "The template does not exist. GET /admin/v1/provider-templates lists all.");
  const { base_url, ...settings } = parsedFields(fields);
  const checked = withoutNull(settingsOf(JSON.stringify(settings)));
  const row = { ...start, ...(base_url !== undefined && { base_url }), ...checked, api_key: "" };
  if (!("protocol" in row)) throw invalid("protocol", "Set protocol, or template.");
  if (!("base_url" in row) || row.base_url === "") throw invalid("base_url", "Set base_url.");
  checkAddress(String(row.base_url), billing.settings.egressAllow);
  return row;
}

const existsAlready = (): GatewayError =>
  new GatewayError("already_exists", "A provider with this id already exists. Change it with PATCH.", { param: "id" });

/**
 * Makes room for a provider whose namesake was deleted and still drains: the tasks of that one are
 * polled with its credentials at the new address, or without a key if the new provider has none.
 */
async function replaceDrained(
  { store }: Billing,
  { session }: Transaction,
  { name, keepKeys }: { readonly name: string; readonly keepKeys: boolean },
): Promise<void> {
  const { deletedCount } = await store.catalogProviders.deleteOne({ _id: name, deletedAt: { $ne: null } }, { session });
  if (deletedCount === 0) return;
  const old = { provider: name };
  if (!keepKeys) await store.catalogCredentials.deleteMany(old, { session });
  else await store.catalogCredentials.updateMany(old, { $set: { enabled: false }, $inc: { revision: 1 } }, { session });
}

/** Adds a provider, with its credential where the request has one. */
export async function createProvider(billing: Billing, request: CreateProviderRequest): Promise<CatalogVersion> {
  const { name, enabled, value, variable, actor } = request;
  const row = await rowOf(billing, request);
  const { store } = billing;
  const drains = (await storedOverlay(store)).providers.some(
    (each) => each._id === name && each.deletedAt !== undefined,
  );
  if (!drains && Object.hasOwn(rowsOf(await billing.readSource()).providers, name)) throw existsAlready();
  await changeCatalog(billing, actor, async (transaction) => {
    const { session, at } = transaction;
    const fields = { ...row };
    await replaceDrained(billing, transaction, { name, keepKeys: value !== undefined || variable !== undefined });
    const made = await addEntry(store.catalogProviders, transaction, { name, enabled, fields, max: maxProviders });
    const secret = { ...(value !== undefined && { value }), ...(variable !== undefined && { variable }) };
    const about = { provider: name, name: "", enabled: true, ...secret };
    const credential = Object.keys(secret).length === 0 ? undefined : newCredential(billing, about, { at, actor });
    if (credential !== undefined) await store.catalogCredentials.create([credential], { session });
    const hint = credential && { credential: credential._id, hint: credential.hint || credential.variable };
    const after = JSON.stringify({ ...JSON.parse(snapshot(made)), ...hint });
    return { result: undefined, audit: { action: "provider.create", targetId: name, after } };
  }).catch((error: unknown) => {
    throw isDuplicate(error) ? existsAlready() : error;
  });
  return { overlayVersion: BigInt(await overlayVersion(store)) };
}
