import { endianness } from "node:os";

const isLittleEndian = endianness() === "LE";

/** The floats as base64 of their little-endian bytes, in quotes: a JSON string. */
export function encodeFloats(floats: Float32Array): Buffer {
  const bytes = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  const ordered = isLittleEndian ? bytes : Buffer.from(bytes).swap32();
  return Buffer.from(`"${ordered.toString("base64")}"`, "latin1");
}

let scratch = new Float32Array(1_024);

/**
 * Decodes base64 of little-endian 32-bit floats, given as a JSON string with its quotes.
 * @returns a view of memory that the next call reuses
 * @throws {SyntaxError} when the string is malformed
 */
export function decodeFloats(body: Buffer, range: { readonly start: number; readonly end: number }): Float32Array {
  const quoted = body.toString("latin1", range.start + 1, range.end - 1);
  // Some encoders escape the slash.
  const text = quoted.includes("\\") ? quoted.replaceAll("\\/", "/") : quoted;
  const max = Math.ceil(text.length / 4) * 3;
  if (scratch.byteLength < max) scratch = new Float32Array(Math.ceil(max / 4));
  const bytes = Buffer.from(scratch.buffer);
  const length = bytes.write(text, "base64");
  if (length % 4 !== 0) throw new SyntaxError("a vector is not a whole number of floats");
  if (!isLittleEndian) bytes.subarray(0, length).swap32();
  return scratch.subarray(0, length / 4);
}
