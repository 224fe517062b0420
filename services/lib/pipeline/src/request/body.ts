import { maxBodyBytesOf } from "@uag/contract/body-limits";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import { parseJson, parseJsonInTurns } from "@uag/untrusted/json/parse";
import type { JsonLimits } from "@uag/untrusted/json/scan";
import { type Fields, withoutNulls } from "./nulls.ts";

export type { Fields } from "./nulls.ts";

/** Parsing a longer body takes long enough that it should yield to the event loop. */
const longBytes = 256 * 1024;
const nothing: ReadonlySet<string> = new Set();

/** A request body that is one JSON object. */
export interface JsonBody {
  /** The bytes as received. */
  readonly body: Buffer;
  /** Without null members, which count as absent. */
  readonly fields: Fields;
  /** Every member as received; one without nulls is the same object as in `fields`. */
  readonly sent: Fields;
}

/** How a JSON body is parsed. */
export interface JsonOptions {
  readonly limits?: JsonLimits;
  /** Members with foreign content, at any depth: null is meaningful there. */
  readonly opaque?: ReadonlySet<string>;
}

/**
 * Reads an exchange's whole body as one JSON object.
 * @param lease accounts for the bytes
 * @throws {GatewayError} what {@link readJsonObject} throws, `service_unavailable` when memory is
 * exhausted
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
 * Like {@link readJsonObject}, but a long body is parsed in several turns of the event loop.
 * @throws {GatewayError} what that throws
 */
export async function parseJsonBody(body: Buffer, { limits, opaque }: JsonOptions = {}): Promise<JsonBody> {
  const value = body.length > longBytes ? await parseJsonInTurns(body, limits) : parseJson(body, limits);
  return jsonOf(body, objectOf(value), opaque);
}

/**
 * Parses bytes as one JSON object, within the limits of `parseJson`.
 * @throws {GatewayError} `invalid_json` (422) for bytes that are not JSON, `invalid_request` for
 * unacceptable JSON
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
