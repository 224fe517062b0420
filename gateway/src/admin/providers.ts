import { GatewayError } from "@uag/contract/errors/gateway-error";
import {
  createCredentialRequest,
  createProviderRequest,
  updateCredentialRequest,
  updateProviderRequest,
} from "@uag/contract/requests/admin-providers";
import type {
  providerCredential,
  provider as providerResponse,
  providerTemplate,
} from "@uag/contract/responses/admin-providers";
import type { Shown } from "@uag/contract/responses/shown";
import type { CatalogProvider, CredentialShare, ProviderCredential } from "@uag/proto/billing/v1/catalog.ts";
import { usdText } from "@uag/runtime/usd";
import type { z } from "zod";
import type { AdminCall, AdminHandler } from "./admin.ts";
import { checkedBody } from "./check.ts";
import { poolOf } from "./credential-pool.ts";
import { listOf } from "./json.ts";
import type { Replica } from "./replicas.ts";

type Provider = Shown<typeof providerResponse>;

/** Changes of the audit log wait for each other. */
const timeoutMs = 20_000;

const showCredential = (credential: ProviderCredential): Shown<typeof providerCredential> => ({
  object: "provider_credential",
  id: credential.id,
  name: credential.name,
  hint: credential.hint || null,
  variable: credential.variable || null,
  enabled: credential.enabled,
  weight: credential.share?.weight ?? 1,
  priority: credential.share?.priority ?? 0,
  account: credential.share?.account || null,
  daily_cap_usd: credential.share?.dailyCapUsd || null,
  monthly_cap_usd: credential.share?.monthlyCapUsd || null,
  spent_today_usd: usdText(credential.spentTodayNanoUsd),
  spent_this_month_usd: usdText(credential.spentThisMonthNanoUsd),
  revision: Number(credential.revision),
  created_at: new Date(Number(credential.createdAtMs)).toISOString(),
  created_by: credential.createdBy,
});

/** What the services that have the current changes report of a provider. */
function stateOf(
  { name, enabled, credentials, draining }: CatalogProvider,
  replicas: readonly Replica[],
): Pick<Provider, "state" | "reason"> {
  if (draining) return { state: "draining", reason: null };
  if (!enabled) return { state: "disabled", reason: null };
  const start = `${name}: `;
  const fault = replicas.flatMap(({ status }) => status.unserved).find((line) => line.startsWith(start));
  if (fault !== undefined) return { state: "unserved", reason: fault.slice(start.length) };
  const simulated =
    !credentials.some((credential) => credential.enabled) &&
    replicas.some(({ status }) => status.catalog?.simulated.includes(name));
  return { state: simulated ? "simulated" : "serving", reason: null };
}

function showProvider(provider: CatalogProvider, replicas: readonly Replica[]): Provider {
  return {
    object: "provider",
    id: provider.name,
    protocol: provider.protocol,
    source: provider.added ? "runtime" : "file",
    base_url: provider.baseUrl,
    base_url_changed: provider.baseUrlChanged,
    enabled: provider.enabled,
    ...stateOf(provider, replicas),
    revision: Number(provider.revision),
    models: provider.models,
    credentials: provider.credentials.map(showCredential),
    pool: poolOf(replicas, provider.name, new Set(provider.credentials.map(({ id }) => id))),
  };
}

/** Reports of the services that have all changes up to a version; others are about an earlier state. */
const replicasAt = ({ replicas }: AdminCall, version: bigint): Replica[] =>
  replicas.living().filter(({ status }) => BigInt(status.catalog?.overlay_version ?? -1) >= version);

async function readProviders(call: AdminCall): Promise<Provider[]> {
  const { providers, overlayVersion } = await call.clients.catalog.listProviders({}, { timeoutMs });
  const replicas = replicasAt(call, overlayVersion);
  return providers.map((provider) => showProvider(provider, replicas));
}

async function readProvider(call: AdminCall): Promise<Provider> {
  const found = (await readProviders(call)).find(({ id }) => id === call.id);
  if (found === undefined) throw new GatewayError("not_found", "The provider does not exist.", { param: "id" });
  return found;
}

/** The providers of the catalogue, all on one page. */
export const listProviders: AdminHandler = async (call) => ({ body: listOf(await readProviders(call), "") });

export const getProvider: AdminHandler = async (call) => ({ body: await readProvider(call) });

/** Adds a provider; its secret is in no response. */
export const createProvider: AdminHandler = async (call) => {
  const {
    id,
    template = "",
    api_key,
    variable,
    enabled = true,
    ...fields
  } = checkedBody(createProviderRequest, call.body);
  await call.clients.catalog.createProvider(
    {
      name: id,
      template,
      fields: JSON.stringify(fields),
      enabled,
      ...(api_key !== undefined && { value: api_key }),
      ...(variable !== undefined && { variable }),
      actor: call.actor,
    },
    { timeoutMs },
  );
  return { status: 201, body: await readProvider({ ...call, id }) };
};

/** Returns the provider as it drains. */
export const deleteProvider: AdminHandler = async (call) => {
  await call.clients.catalog.deleteProvider({ name: call.id, actor: call.actor }, { timeoutMs });
  return { body: await readProvider(call) };
};

/** What new providers may start from, all on one page. */
export const listTemplates: AdminHandler = async ({ clients }) => {
  const { templates } = await clients.catalog.listTemplates({}, { timeoutMs });
  const rows = templates.map(
    ({ name, protocol, baseUrl }): Shown<typeof providerTemplate> => ({
      object: "provider_template",
      id: name,
      protocol,
      base_url: baseUrl,
    }),
  );
  return { body: listOf(rows, "") };
};

export const updateProvider: AdminHandler = async (call) => {
  const { revision, base_url: baseUrl, enabled, ...fields } = checkedBody(updateProviderRequest, call.body);
  await call.clients.catalog.updateProvider(
    {
      name: call.id,
      revision: BigInt(revision),
      ...(baseUrl !== undefined && { baseUrl: baseUrl ?? "" }),
      ...(enabled !== undefined && { enabled }),
      fields: JSON.stringify(fields),
      actor: call.actor,
    },
    { timeoutMs },
  );
  return { body: await readProvider(call) };
};

type ShareFields = Pick<
  z.infer<typeof updateCredentialRequest>,
  "weight" | "priority" | "account" | "daily_cap_usd" | "monthly_cap_usd"
>;

/** The fields of a request that say how a credential shares the calls, and what it may spend. */
const shareIn = ({
  weight,
  priority,
  account,
  daily_cap_usd: dailyCapUsd,
  monthly_cap_usd: monthlyCapUsd,
}: ShareFields): CredentialShare => ({
  ...(weight !== undefined && { weight }),
  ...(priority !== undefined && { priority }),
  ...(account !== undefined && { account }),
  // 0: no cap.
  ...(dailyCapUsd !== undefined && { dailyCapUsd: dailyCapUsd ?? 0 }),
  ...(monthlyCapUsd !== undefined && { monthlyCapUsd: monthlyCapUsd ?? 0 }),
});

/** Adds a credential; its secret is in no response. */
export const createCredential: AdminHandler = async ({ clients, id, actor, body }) => {
  const fields = checkedBody(createCredentialRequest, body);
  const created = await clients.catalog.createCredential(
    {
      provider: id,
      name: fields.name ?? "",
      ...(fields.api_key !== undefined && { value: fields.api_key }),
      ...(fields.variable !== undefined && { variable: fields.variable }),
      enabled: fields.enabled ?? true,
      share: shareIn(fields),
      ...(fields.base_url !== undefined && { baseUrl: fields.base_url }),
      ...(fields.revision !== undefined && { providerRevision: BigInt(fields.revision) }),
      actor,
    },
    { timeoutMs },
  );
  return { status: 201, body: showCredential(created) };
};

const credentialIn = ({ id, request }: AdminCall) => ({ provider: id, id: String(request.params["credential"]) });

export const updateCredential: AdminHandler = async (call) => {
  const { revision, enabled, ...fields } = checkedBody(updateCredentialRequest, call.body);
  const own = { ...(enabled !== undefined && { enabled }), share: shareIn(fields) };
  const change = { ...credentialIn(call), revision: BigInt(revision), ...own, actor: call.actor };
  return { body: showCredential(await call.clients.catalog.updateCredential(change, { timeoutMs })) };
};

export const deleteCredential: AdminHandler = async (call) => ({
  body: showCredential(
    await call.clients.catalog.deleteCredential({ ...credentialIn(call), actor: call.actor }, { timeoutMs }),
  ),
});
