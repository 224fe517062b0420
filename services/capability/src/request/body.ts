import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { parseJson, parseJsonInTurns } from "@uag/kit/json/parse.ts";
import type { JsonLimits } from "@uag/kit/json/scan.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";

/** The router limits bodies already; this only bounds what a broken router could send. */
const mostBodyBytes = 64 * 1024 * 1024;
/** Reading a longer body takes so long that others should have a turn in between. */
const longBytes = 256 * 1024;

export type Fields = Readonly<Record<string, unknown>>;

export interface JsonBody {
  /** As they came. */
  readonly body: Buffer;
  readonly fields: Fields;
}

/**
 * Reads an exchange's whole body as one JSON object.
 * @param lease pays for the bytes
 * @throws {GatewayError} what {@link readJsonObject} throws, `service_unavailable` when there is no room
 * @throws {LinkError} `too_large`, or why the exchange is over
 */
export async function readJsonBody(exchange: LinkExchange, lease: BufferLease, limits?: JsonLimits): Promise<JsonBody> {
  const body = await exchange.readBody({ maxBytes: mostBodyBytes, take: lease.take });
  const value = body.length > longBytes ? await parseJsonInTurns(body, limits) : parseJson(body, limits);
  return { body, fields: objectOf(value) };
}

/**
 * Reads bytes as one JSON object, within the limits of `parseJson`.
 * @throws {GatewayError} `invalid_json` (422) for what is not JSON, `invalid_request` for JSON that is not acceptable
 */
export function readJsonObject(bytes: Buffer, limits?: JsonLimits): Fields {
  return objectOf(parseJson(bytes, limits));
}

function objectOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new GatewayError("invalid_request", "The request body must be a JSON object.");
}
