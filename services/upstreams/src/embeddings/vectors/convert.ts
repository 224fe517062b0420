import { broken } from "../response.ts";
import type { RawVector, VectorFormat } from "../types.ts";
import { decodeFloats, encodeFloats } from "./base64.ts";
import { formatFloats } from "./format.ts";
import { parseFloats } from "./parse.ts";
import { unitVector } from "./shorten.ts";

const quote = 34;

/**
 * True when the vector's bytes can be passed on unchanged to a client that requested this format.
 */
export function isIn(vector: RawVector, format: VectorFormat): boolean {
  return (vector.body[vector.start] === quote) === (format === "base64");
}

/**
 * Converts a vector to the client's format (a JSON value), whatever the upstream's.
 * @param dimensions truncate to this many numbers and normalize to length 1; undefined: unchanged
 * @throws {UpstreamFailure} when the upstream's bytes are not a vector, or one shorter than that
 */
export function convertVector(vector: RawVector, format: VectorFormat, dimensions: number | undefined): Buffer {
  if (dimensions === undefined && isIn(vector, format)) return vector.body.subarray(vector.start, vector.end);
  try {
    const given = isIn(vector, "base64") ? decodeFloats(vector.body, vector) : parseFloats(vector.body, vector);
    if (dimensions !== undefined && given.length < dimensions) throw broken("has a vector that is too short");
    const floats = dimensions === undefined ? given : unitVector(given, dimensions);
    return format === "base64" ? encodeFloats(floats) : formatFloats(floats);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) throw broken("has a vector that cannot be read");
    throw error;
  }
}
