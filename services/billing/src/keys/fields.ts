import type { keyFields } from "@uag/contract/requests/admin-fields";
import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { KeyDocument, LimitsDocument } from "@uag/ledger/documents/keys";
import type { CreateKeyRequest, Key, UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Caller, Limits } from "@uag/proto/common/v1/caller.ts";

/** A key's fields in requests, the database, responses and the audit log. */

const noLimits: LimitsDocument = {
  requestsPerMinute: 0n,
  tokensPerMinute: 0n,
  concurrentRequests: 0n,
  monthlyBudgetNanoUsd: 0n,
};

function limitsDocument(limits: Limits | undefined): LimitsDocument {
  return limits === undefined
    ? noLimits
    : {
        requestsPerMinute: limits.requestsPerMinute,
        tokensPerMinute: limits.tokensPerMinute,
        concurrentRequests: limits.concurrentRequests,
        monthlyBudgetNanoUsd: limits.monthlyBudgetNanoUsd,
      };
}

const maxTagLength = 100;
const maxTags = 50;

/**
 * The strings of `tags` in a key's metadata, by which keys can be searched. LiteLLM keeps tags
 * there too.
 */
function tagsOf(metadata: string): string[] {
  const { tags }: { tags?: unknown } = JSON.parse(metadata) as object;
  if (!Array.isArray(tags)) return [];
  const texts = tags.filter(
    (tag): tag is string => typeof tag === "string" && tag !== "" && tag.length <= maxTagLength,
  );
  return [...new Set(texts)].slice(0, maxTags);
}

/** What requests set in a key; a new key has all of it, an update what it names. */
type Settings = Pick<KeyDocument, "name" | "models" | "limits" | "expiresAt" | "metadata" | "tags">;

export function settingsOf(request: CreateKeyRequest | UpdateKeyRequest): Settings {
  const { name, models, limits, expiresAtMs, metadata = "{}" } = request;
  return {
    name,
    models,
    limits: limitsDocument(limits),
    expiresAt: dateOf(expiresAtMs),
    metadata,
    tags: tagsOf(metadata),
  };
}

/** The fields of a key in requests. */
export type SettingName = keyof Omit<UpdateKeyRequest, "id" | "fields" | "actor">;

/** What an update calls a field: as in the proto file. */
const fieldName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The settings behind each field that an update can name. */
const settingsBehind = {
  name: ["name"],
  models: ["models"],
  limits: ["limits"],
  expiresAtMs: ["expiresAt"],
  metadata: ["metadata", "tags"],
} as const satisfies Record<SettingName, readonly (keyof Settings)[]>;
const settingsByField = new Map<string, readonly (keyof Settings)[]>(
  Object.entries(settingsBehind).map(([name, settings]) => [fieldName(name), settings]),
);

const limitNames = {
  requestsPerMinute: "requestsPerMinute",
  tokensPerMinute: "tokensPerMinute",
  concurrentRequests: "concurrentRequests",
  monthlyBudgetNanoUsd: "monthlyBudgetNanoUsd",
} as const satisfies Record<keyof Limits, keyof LimitsDocument>;
const limitsByField = new Map<string, keyof LimitsDocument>(
  Object.entries(limitNames).map(([name, limit]) => [`limits.${fieldName(name)}`, limit]),
);

/**
 * The fields that an update sets, by path in the document; undefined for a name that is no field of
 * a key.
 */
export function changeOf(request: UpdateKeyRequest, named: string): Readonly<Record<string, unknown>> | undefined {
  const settings = settingsOf(request);
  const limit = limitsByField.get(named);
  if (limit !== undefined) return { [`limits.${limit}`]: settings.limits[limit] };
  const names = settingsByField.get(named);
  return names && Object.fromEntries(names.map((name) => [name, settings[name]]));
}

const millisecondsOf = (date: Date | null): bigint => BigInt(date?.getTime() ?? 0);

const dateOf = (ms: bigint): Date | null => (ms === 0n ? null : new Date(Number(ms)));

export function keyMessage(key: KeyDocument): Required<Key> {
  return {
    id: key._id,
    accountId: key.accountId,
    name: key.name,
    hint: key.hint,
    models: key.models,
    limits: key.limits,
    createdAtMs: millisecondsOf(key.createdAt),
    expiresAtMs: millisecondsOf(key.expiresAt),
    revokedAtMs: millisecondsOf(key.revokedAt),
    version: key.version,
    metadata: key.metadata ?? "{}",
  };
}

/** A limit as administrators write it: null means unlimited. */
const limitOf = (value: bigint): number | null => (value === 0n ? null : Number(value));

/** In the audit log, a budget is in nano-USD. */
type AuditedField = Exclude<keyof typeof keyFields, "max_budget"> | "max_budget_nano_usd";

/** The fields of a key that identify a change, without its secret or digest. */
export function keySnapshot(key: KeyDocument): string {
  const { limits } = key;
  return JSON.stringify({
    key_alias: key.name,
    hint: key.hint,
    models: key.models,
    rpm_limit: limitOf(limits.requestsPerMinute),
    tpm_limit: limitOf(limits.tokensPerMinute),
    max_parallel_requests: limitOf(limits.concurrentRequests),
    max_budget_nano_usd: limitOf(limits.monthlyBudgetNanoUsd),
    metadata: JSON.parse(key.metadata ?? "{}"),
    expires: key.expiresAt,
    revoked_at: key.revokedAt,
    version: Number(key.version),
  } satisfies Record<AuditedField, unknown> & Record<string, unknown>);
}

/**
 * What services learn about a caller. With a replaced secret, the key expires for this caller when
 * the overlap ends.
 */
export function callerMessage(
  key: KeyDocument,
  digest: Buffer,
  { keepsNoAnswers = false }: Pick<AccountDocument, "keepsNoAnswers">,
): Required<Caller> {
  return {
    keyId: key._id,
    accountId: key.accountId,
    models: key.models,
    expiresAtMs: millisecondsOf(endOf(key, digest)),
    limits: key.limits,
    version: key.version,
    keepsNoAnswers,
  };
}

function endOf(key: KeyDocument, digest: Buffer): Date | null {
  const replaced = key.previous?.find((secret) => secret.digest.equals(digest));
  if (replaced === undefined) return key.expiresAt;
  return key.expiresAt !== null && key.expiresAt < replaced.until ? key.expiresAt : replaced.until;
}
