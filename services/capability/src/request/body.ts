import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { maxBodyBytesOf } from "@uag/contract/routes.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import { parseJson, parseJsonInTurns } from "@uag/kit/json/parse.ts";
import type { JsonLimits } from "@uag/kit/json/scan.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { type Fields, withoutNulls } from "./nulls.ts";

export type { Fields } from "./nulls.ts";

/** Reading a longer body takes so long that others should have a turn in between. */
const longBytes = 256 * 1024;
const nothing: ReadonlySet<string> = new Set();

/** A request body that is one JSON object. */
export interface JsonBody {
  /** As they came. */
  readonly body: Buffer;
  /** What is null is as absent. */
  readonly fields: Fields;
  /** Every member as it came; where it had no null in it, the very object that is in `fields`. */
  readonly sent: Fields;
}

/** How a JSON body is parsed. */
export interface JsonOptions {
  readonly limits?: JsonLimits;
  /** Members whose content is not ours, at whatever level: null means something there. */
  readonly opaque?: ReadonlySet<string>;
}

/**
 * Reads an exchange's whole body as one JSON object.
 * @param lease pays for the bytes
 * @throws {GatewayError} what {@link readJsonObject} throws, `service_unavailable` when there is no
 * room
 * @throws {LinkError} `too_large`, or why the exchange is over
 */
export async function readJsonBody(
  exchange: LinkExchange,
  lease: BufferLease,
  options: JsonOptions = {},
): Promise<JsonBody> {
  return await parseJsonBody(
    await exchange.readBody({ maxBytes: maxBodyBytesOf(exchange.operation), take: lease.take }),
    options,
  );
}

/**
 * Does what {@link readJsonObject} does; of a long body in turns of the event loop.
 * @throws {GatewayError} what that throws
 */
export async function parseJsonBody(body: Buffer, { limits, opaque }: JsonOptions = {}): Promise<JsonBody> {
  const value = body.length > longBytes ? await parseJsonInTurns(body, limits) : parseJson(body, limits);
  return jsonOf(body, objectOf(value), opaque);
}

/**
 * Reads bytes as one JSON object, within the limits of `parseJson`.
 * @throws {GatewayError} `invalid_json` (422) for what is not JSON, `invalid_request` for JSON that
 * is not acceptable
 */
export function readJsonObject(bytes: Buffer, { limits, opaque }: JsonOptions = {}): JsonBody {
  return jsonOf(bytes, objectOf(parseJson(bytes, limits)), opaque);
}

function jsonOf(body: Buffer, sent: Fields, opaque = nothing): JsonBody {
  return { body, sent, fields: withoutNulls(sent, opaque) };
}

function objectOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new GatewayError("invalid_request", "The request body must be a JSON object.");
}
