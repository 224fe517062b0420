import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { keyFields } from "@uag/contract/key-fields";
import { routingStrategy } from "@uag/contract/requests/admin-models";
import type { KeyDocument, LimitsDocument } from "@uag/ledger/documents/keys";
import type { CreateKeyRequest, Key, UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";

/** A key's fields in requests, with their checks, the database, responses and the audit log. */

const maxNameLength = 200;
const maxModels = 1_000;
const maxMetadata = 8_192;
const latestMs = 8_640_000_000_000_000n;

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
type Settings = Pick<KeyDocument, "name" | "models" | "limits" | "expiresAt" | "metadata" | "tags" | "routingStrategy">;

export function settingsOf(request: CreateKeyRequest | UpdateKeyRequest): Settings {
  const { name, models, limits, expiresAtMs, metadata = "{}", routingStrategy = "" } = request;
  return {
    name,
    models,
    limits: limitsDocument(limits),
    expiresAt: dateOf(expiresAtMs),
    metadata,
    tags: tagsOf(metadata),
    routingStrategy,
  };
}

/** The fields of a key in requests. */
export type SettingName = keyof Omit<UpdateKeyRequest, "id" | "fields" | "actor">;

function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

function checkLimits(limits: Limits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "bigint" && value < 0n) throw invalid(`limits.${name}`, "A limit cannot be negative.");
  }
}

const routingStrategies: ReadonlySet<string> = new Set(routingStrategy.options);

/** A check of every field of a key. */
const checks: {
  readonly [Name in SettingName]-?: (value: NonNullable<UpdateKeyRequest[Name]>) => void;
} = {
  name(name) {
    if (name.length > maxNameLength) throw invalid("name", "The name is too long.");
  },
  models(models) {
    if (models.length > maxModels) throw invalid("models", `A key can name at most ${maxModels} models.`);
    if (models.some((model) => model === "" || model.length > maxNameLength)) {
      throw invalid("models", "A model's name must have 1 to 200 characters.");
    }
  },
  limits: checkLimits,
  expiresAtMs(expiresAtMs) {
    if (expiresAtMs < 0n || expiresAtMs > latestMs) throw invalid("expires_at_ms", "The expiry is not a valid time.");
  },
  metadata: checkMetadata,
  routingStrategy(strategy) {
    if (strategy !== "" && !routingStrategies.has(strategy))
      throw invalid("routing_strategy", "The routing strategy is not known.");
  },
  budgetId(budgetId) {
    if (budgetId.length > maxNameLength) throw invalid("budget_id", "The id is too long.");
  },
};

/** @throws {GatewayError} `invalid_request` naming the field. */
export function checkKeyFields(fields: Partial<Pick<UpdateKeyRequest, SettingName>>): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = fields[name as SettingName];
    if (value !== undefined) (check as (value: unknown) => void)(value);
  }
}

function checkMetadata(text: string): void {
  if (Buffer.byteLength(text) > maxMetadata) {
    throw invalid("metadata", `The metadata is larger than ${maxMetadata} bytes.`);
  }
  if (!isJsonObject(text)) throw invalid("metadata", "The metadata is not a JSON object.");
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** What an update calls a field: as in the proto file. */
const fieldName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The settings behind each field that an update can name. */
const settingsBehind = {
  name: ["name"],
  models: ["models"],
  limits: ["limits"],
  expiresAtMs: ["expiresAt"],
  metadata: ["metadata", "tags"],
  routingStrategy: ["routingStrategy"],
  budgetId: [],
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

export const millisecondsOf = (date: Date | null): bigint => BigInt(date?.getTime() ?? 0);

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
    routingStrategy: key.routingStrategy ?? "",
    budgetId: key.budgetIds?.[0] ?? "",
    budgetIds: [...(key.budgetIds ?? [])],
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
    routing_strategy: key.routingStrategy || null,
    budget_id: key.budgetIds?.[0] ?? null,
    expires: key.expiresAt,
    revoked_at: key.revokedAt,
    version: Number(key.version),
  } satisfies Record<AuditedField, unknown> & Record<string, unknown>);
}
