import { GatewayError } from "@uag/contract/errors/gateway-error";
import { operatorFields } from "@uag/contract/key-fields";
import { createKeyRequest, keyListQuery, regenerateKeyRequest, updateKeyRequest } from "@uag/contract/requests/admin";
import { key as keyResponse, type newKey } from "@uag/contract/responses/admin";
import type { Shown } from "@uag/contract/responses/shown";
import type { Key, UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { usdText } from "@uag/runtime/usd";
import type { z } from "zod";
import type { AdminCall, AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import type { AdminClients } from "./clients.ts";
import { listOf, shownLimit, timeText } from "./json.ts";
import { keyUse } from "./key-use.ts";
import { snippetsOf } from "./snippets.ts";

type Fields = Omit<z.output<typeof createKeyRequest>, "account_id">;

/** A key's settings in billing's requests. */
type Settings = Required<Omit<UpdateKeyRequest, "id" | "fields" | "actor">>;

/** 0 means no limit or no expiry. */
function settingsOf(fields: Fields): Settings {
  const limits: Required<Limits> = {
    requestsPerMinute: BigInt(fields.rpm_limit ?? 0),
    tokensPerMinute: BigInt(fields.tpm_limit ?? 0),
    concurrentRequests: BigInt(fields.max_parallel_requests ?? 0),
    monthlyBudgetNanoUsd: fields.max_budget ?? 0n,
  };
  return {
    name: fields.key_alias ?? "",
    models: fields.models ?? [],
    limits,
    expiresAtMs: fields.expires ?? 0n,
    metadata: fields.metadata ?? "{}",
    routingStrategy: fields.routing_strategy ?? "",
    budgetId: fields.budget_id ?? "",
  };
}

const metadataOf = ({ metadata = "{}" }: Key): Record<string, unknown> =>
  keyResponse.shape.metadata.parse(JSON.parse(metadata));

function showKey(key: Key): Shown<typeof keyResponse> {
  const { limits } = key;
  const budget = limits?.monthlyBudgetNanoUsd ?? 0n;
  return {
    id: key.id,
    object: "key" as const,
    account_id: key.accountId,
    key_alias: key.name,
    hint: key.hint,
    models: key.models,
    rpm_limit: shownLimit(limits?.requestsPerMinute),
    tpm_limit: shownLimit(limits?.tokensPerMinute),
    max_parallel_requests: shownLimit(limits?.concurrentRequests),
    max_budget: budget === 0n ? null : Number(usdText(budget)),
    max_budget_nano_usd: shownLimit(budget),
    budget_id: key.budgetId || null,
    metadata: metadataOf(key),
    routing_strategy: keyResponse.shape.routing_strategy.catch(null).parse(key.routingStrategy),
    created_at: timeText(key.createdAtMs),
    expires: timeText(key.expiresAtMs),
    revoked_at: timeText(key.revokedAtMs),
    version: key.version,
  };
}

/** With its secret, which is shown this once, and with what uses it. */
function showNewKey(
  { key, secret }: { key?: Key | undefined; secret: string },
  publicUrl: string,
): Shown<typeof newKey> {
  if (key === undefined) throw new Error("billing returned a secret without its key");
  return { ...showKey(key), key: secret, snippets: snippetsOf(publicUrl, secret, key.models) };
}

/**
 * The only account there is. @throws {GatewayError} `invalid_request` when there are several, or
 * none
 */
async function soleAccount({ accounts }: AdminClients): Promise<string> {
  const page = { limit: 2, cursor: "" };
  const found = (await accounts.listAccounts({ page })).accounts;
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const text = `account_id: is required${only === undefined ? "; there is no account yet" : ", for there are several accounts"}.`;
  throw new GatewayError("invalid_request", text, { param: "account_id" });
}

/** @throws {GatewayError} `permission_denied` for a field that the token's account may not set */
function requireSettable({ accountId }: AdminCall["admin"], fields: object): void {
  const denied = Object.keys(operatorFields).find((name) => accountId !== "" && Object.hasOwn(fields, name));
  if (denied === undefined) return;
  const text = `${denied}: only an administrator of all accounts can set it.`;
  throw new GatewayError("permission_denied", text, { param: denied });
}

export const createKey: AdminHandler = async ({ admin, clients, actor, body, publicUrl }) => {
  const fields = checkedBody(createKeyRequest, body);
  requireSettable(admin, fields);
  const made = await clients.keys.createKey({
    accountId: fields.account_id ?? (await soleAccount(clients)),
    actor,
    ...settingsOf(fields),
  });
  return { status: 201, body: showNewKey(made, publicUrl) };
};

export const listKeys: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(keyListQuery, url);
  const { keys, nextCursor } = await clients.keys.listKeys({
    accountId: query.account ?? "",
    includeRevoked: query.include_revoked === "true",
    page: pageOf(query),
    sort: query.sort.replace("alias", "name"),
    ...(query.alias !== undefined && { name: query.alias }),
    ...(query.search !== undefined && { search: query.search }),
    ...(query.tag !== undefined && { tag: query.tag }),
  });
  const useOf = await keyUse(clients, keys);
  return {
    body: listOf(
      keys.map((key) => ({ ...showKey(key), ...useOf(key) })),
      nextCursor,
    ),
  };
};

export const getKey: AdminHandler = async ({ clients, id: keyId }) => {
  const key = await clients.keys.getKey({ id: keyId });
  return { body: { ...showKey(key), ...(await keyUse(clients, [key]))(key) } };
};

/** What billing calls the fields that can be changed. */
const billingNames = {
  key_alias: "name",
  models: "models",
  expires: "expires_at_ms",
  metadata: "metadata",
  rpm_limit: "limits.requests_per_minute",
  tpm_limit: "limits.tokens_per_minute",
  max_parallel_requests: "limits.concurrent_requests",
  max_budget: "limits.monthly_budget_nano_usd",
  budget_id: "budget_id",
  routing_strategy: "routing_strategy",
} as const satisfies Record<keyof Fields, string>;

export const updateKey: AdminHandler = async ({ admin, clients, actor, id: keyId, body }) => {
  const fields = checkedBody(updateKeyRequest, body);
  requireSettable(admin, fields);
  const named = Object.entries(billingNames).filter(([field]) => fields[field as keyof Fields] !== undefined);
  const after = await clients.keys.updateKey({
    id: keyId,
    fields: named.map(([, billingName]) => billingName),
    actor,
    ...settingsOf(fields),
  });
  return { body: showKey(after) };
};

export const regenerateKey: AdminHandler = async ({ clients, actor, id: keyId, body, publicUrl }) => {
  const { overlap_seconds } = checkedBody(regenerateKeyRequest, body ?? {});
  const overlapMs = BigInt(overlap_seconds) * 1_000n;
  return { body: showNewKey(await clients.admin.regenerateKey({ id: keyId, overlapMs, actor }), publicUrl) };
};

export const revokeKey: AdminHandler = async ({ clients, actor, id: keyId }) => ({
  body: showKey(await clients.keys.revokeKey({ id: keyId, actor })),
});
