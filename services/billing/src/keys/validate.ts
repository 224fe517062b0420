import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import type { SettingName } from "./fields.ts";

const maxNameLength = 200;
const maxModels = 1_000;
const maxMetadata = 8_192;
const latestMs = 8_640_000_000_000_000n;

function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

function checkLimits(limits: Limits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "bigint" && value < 0n) throw invalid(`limits.${name}`, "A limit cannot be negative.");
  }
}

type Settings = Pick<UpdateKeyRequest, SettingName>;

/** A check of every field of a key. */
const checks: { readonly [Name in SettingName]-?: (value: NonNullable<Settings[Name]>) => void } = {
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
};

/** @throws {GatewayError} `invalid_request` naming the field. */
export function checkKeyFields(fields: Partial<Settings>): void {
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
