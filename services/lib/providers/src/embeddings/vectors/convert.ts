import { decodeFloats, encodeFloats } from "@uag/untrusted/vectors/base64";
import { checkFinite, formatFloats } from "@uag/untrusted/vectors/format";
import { broken } from "../response.ts";
import type { RawVector, VectorFormat } from "../types.ts";
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
 * A vector as a JSON value in the client's format: its bytes, or what makes them. Numbers are
 * written as they are sent: as text they take up twice or three times the memory.
 */
export type ConvertedVector = Buffer | (() => Buffer);

/**
 * Converts a vector to the client's format, whatever the upstream's.
 * @param dimensions truncate to this many numbers and normalize to length 1; undefined: unchanged
 * @throws {UpstreamFailure} when the upstream's bytes are not a vector, or one shorter than that
 */
export function convertVector(
  vector: RawVector,
  format: VectorFormat,
  dimensions: number | undefined,
): ConvertedVector {
  if (dimensions === undefined && isIn(vector, format)) return vector.body.subarray(vector.start, vector.end);
  try {
    const isEncoded = isIn(vector, "base64");
    const given = isEncoded ? decodeFloats(vector.body, vector) : parseFloats(vector.body, vector);
    if (dimensions !== undefined && given.length < dimensions) throw broken("has a vector that is too short");
    if (format === "base64") return encodeFloats(dimensions === undefined ? given : unitVector(given, dimensions));
    checkFinite(given);
    // The decoded vector is in memory that is reused.
    if (dimensions === undefined && isEncoded) return () => formatFloats(decodeFloats(vector.body, vector));
    const floats = dimensions === undefined ? given : unitVector(given, dimensions);
    return () => formatFloats(floats);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) throw broken("has a vector that cannot be read");
    throw error;
  }
}
