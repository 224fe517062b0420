import { resolveReferences } from "@uag/catalog/env";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { CatalogCredentialDocument } from "@uag/ledger/documents/catalog-overlay";
import type {
  CatalogProvider,
  ListProvidersRequest,
  ListProvidersResponse,
  ProviderCredential,
  UpdateProviderRequest,
} from "@uag/proto/billing/v1/catalog.ts";
import { UrlError } from "@uag/untrusted/http/url-error";
import { UrlGuard } from "@uag/untrusted/http/url-guard";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "../catalog/change.ts";
import { invalid, parsedFields, type Written, writeEntry } from "../catalog/entries.ts";
import { fieldsOf, overlayOf, type StoredOverlay, shareOf, storedOverlay } from "../catalog/overlay.ts";
import { rowsOf } from "../repair/prices.ts";
import { type Spent, spentByCredential } from "../spend/count.ts";
import type { Transaction } from "../store/transaction.ts";

type Rows = ReturnType<typeof rowsOf>;

/** A credential without its secret. */
export const showCredential = (credential: CatalogCredentialDocument, spent?: Spent): ProviderCredential => ({
  id: credential._id,
  provider: credential.provider,
  name: credential.name,
  hint: credential.hint,
  variable: credential.variable,
  enabled: credential.enabled,
  revision: BigInt(credential.revision),
  createdAtMs: BigInt(credential.createdAt.getTime()),
  createdBy: credential.createdBy,
  share: shareOf(credential),
  spentTodayNanoUsd: spent?.today ?? 0n,
  spentThisMonthNanoUsd: spent?.thisMonth ?? 0n,
});

/** The default of an address in the file; as written where it has none. */
export function addressOf(written: string): string {
  const resolved = resolveReferences(written, {});
  return "text" in resolved ? resolved.text : written;
}

function showProvider(
  name: string,
  rows: Rows,
  { providers, credentials, spent }: StoredOverlay & { readonly spent: ReadonlyMap<string, Spent> },
): CatalogProvider {
  const row = rows.providers[name];
  if (row === undefined) throw unknownProvider();
  const changed = providers.find(({ _id }) => _id === name);
  return {
    name,
    protocol: row.protocol,
    baseUrl: addressOf(row.base_url),
    baseUrlChanged: "base_url" in fieldsOf(changed),
    enabled: changed?.enabled ?? true,
    revision: BigInt(changed?.revision ?? 0),
    models: rows.models
      .filter((model) => model.upstreams.some(({ provider }) => provider === name))
      .map(({ id }) => id),
    credentials: credentials
      .filter(({ provider }) => provider === name)
      .map((credential) => showCredential(credential, spent.get(`${name}/${credential._id}`))),
    added: changed?.added ?? false,
    draining: changed?.deletedAt !== undefined,
  };
}

export const unknownProvider = (): GatewayError =>
  new GatewayError("not_found", "The provider does not exist.", { param: "id" });

/** The providers of the catalogue, in file order, with what was changed of them. */
export async function listProviders(billing: Billing, _request: ListProvidersRequest): Promise<ListProvidersResponse> {
  const stored = await storedOverlay(billing.store);
  const rows = rowsOf({ ...(await billing.readSource()), overlay: overlayOf(stored) });
  const spent = await spentByCredential(billing.store, await billing.clock.moment());
  return {
    providers: Object.keys(rows.providers).map((name) => showProvider(name, rows, { ...stored, spent })),
    overlayVersion: BigInt(stored.version),
  };
}

/** @throws {GatewayError} `invalid_request` for an address that may not be called */
export function checkAddress(text: string, allow: readonly string[]): void {
  const refuse = (fault: string): GatewayError => new GatewayError("invalid_request", fault, { param: "base_url" });
  // The catalogue's references would reveal variables of the services' environment.
  if (text.includes("$")) throw refuse("The base URL must not refer to the environment.");
  try {
    const { search, hash } = new UrlGuard(allow).parse(text);
    if (search !== "" || hash !== "") throw refuse("The base URL must have neither a query nor a fragment.");
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    const fault = `${error.message} Add its host:port to EGRESS_ALLOW to permit an address of your own network.`;
    throw refuse(error.fault === "address_refused" ? fault : error.message);
  }
}

/** Fields of a provider that operators may set; the others concern the services' own network and files. */
const settable = new Set([
  "protocol",
  "developer_role",
  "openai_options",
  "on_abort",
  "circuit",
  "adaptive_concurrency",
  "caches_from_tokens",
  "api_version",
  "unsupported_fields",
  "free_fields",
]);

/** Fields of a provider other than its address. @throws {GatewayError} `invalid_request` */
export function settingsOf(text: string): Readonly<Record<string, unknown>> {
  const fields = parsedFields(text);
  const other = Object.keys(fields).find((name) => !settable.has(name));
  if (other !== undefined) throw invalid(other, `${other} cannot be set here. Set it in the catalogue's file.`);
  return fields;
}

/** What a change of a provider sets; absent fields stay. */
export interface ProviderChange {
  readonly name: string;
  /** As the caller has read it. */
  readonly revision: bigint | undefined;
  /** Empty: that of the file. */
  readonly baseUrl?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** JSON. */
  readonly fields?: string;
}

/**
 * Writes a change of a provider.
 * @throws {GatewayError} `already_exists` when it was changed since the caller has read it
 */
export async function writeProvider(
  { store, settings }: Billing,
  transaction: Transaction,
  { baseUrl, fields = "", ...change }: ProviderChange,
): Promise<Written> {
  if (baseUrl) checkAddress(baseUrl, settings.egressAllow);
  return await writeEntry(store.catalogProviders, transaction, {
    ...change,
    kind: "provider",
    fields: { ...settingsOf(fields), ...(baseUrl !== undefined && { base_url: baseUrl === "" ? null : baseUrl }) },
  });
}

/**
 * @returns whether operators added it
 * @throws {GatewayError} `not_found` for a provider that the catalogue does not have, or that drains
 */
export async function requireProvider({ store, readSource }: Billing, name: string): Promise<boolean> {
  const entry = (await storedOverlay(store)).providers.find(({ _id }) => _id === name);
  if (entry?.deletedAt !== undefined || !Object.hasOwn(rowsOf(await readSource()).providers, name))
    throw unknownProvider();
  return entry?.added ?? false;
}

/** Changes a provider's address or settings, or enables or disables it. */
export async function updateProvider(billing: Billing, request: UpdateProviderRequest): Promise<CatalogProvider> {
  const { name, baseUrl, actor } = request;
  const added = await requireProvider(billing, name);
  if (added && baseUrl === "") throw invalid("base_url", "This provider is not in the catalogue's file.");
  await changeCatalog(billing, actor, async (transaction) => {
    if (baseUrl && !added) await requireCredential(billing, transaction, name);
    const written = await writeProvider(billing, transaction, request);
    return { result: undefined, audit: { action: "provider.update", targetId: name, ...written } };
  });
  const { providers } = await listProviders(billing, {});
  const shown = providers.find((provider) => provider.name === name);
  if (shown === undefined) throw unknownProvider();
  return shown;
}

/**
 * The file's key is sent only to the file's address, so another address needs a credential.
 * @throws {GatewayError} `invalid_request`
 */
async function requireCredential({ store }: Billing, { session }: Transaction, provider: string): Promise<void> {
  if ((await store.catalogCredentials.exists({ provider, enabled: true }).session(session)) !== null) return;
  throw new GatewayError(
    "invalid_request",
    "Another base URL needs a credential of its own, because the file's key is sent only to the file's address. Set base_url while you add the credential.",
    { param: "base_url" },
  );
}
