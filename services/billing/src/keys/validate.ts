import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Limits } from "@uag/proto/common/v1/caller.ts";

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

/** @throws {GatewayError} `invalid_request` naming the field. */
export function checkKeyFields(fields: {
  name?: string;
  models?: string[];
  limits?: Limits | undefined;
  expiresAtMs?: bigint;
  metadata?: string | undefined;
}): void {
  if (fields.name !== undefined && fields.name.length > maxNameLength) throw invalid("name", "The name is too long.");
  const models = fields.models ?? [];
  if (models.length > maxModels) throw invalid("models", `A key can name at most ${maxModels} models.`);
  if (models.some((model) => model === "" || model.length > maxNameLength)) {
    throw invalid("models", "A model's name must have 1 to 200 characters.");
  }
  if (fields.limits !== undefined) checkLimits(fields.limits);
  const { expiresAtMs = 0n } = fields;
  if (expiresAtMs < 0n || expiresAtMs > latestMs) throw invalid("expires_at_ms", "The expiry is not a valid time.");
  if (fields.metadata !== undefined) checkMetadata(fields.metadata);
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
