import { endianness } from "node:os";

const isLittleEndian = endianness() === "LE";

/** The floats as base64 of their little-endian bytes, in quotes: a JSON string. */
export function encodeFloats(floats: Float32Array): Buffer {
  const bytes = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  const ordered = isLittleEndian ? bytes : Buffer.from(bytes).swap32();
  return Buffer.from(`"${ordered.toString("base64")}"`, "latin1");
}

/**
 * Reads base64 of little-endian 32-bit floats, a JSON string with its quotes.
 * @throws {SyntaxError} when it is not that
 */
export function decodeFloats(body: Buffer, range: { readonly start: number; readonly end: number }): Float32Array {
  const text = body.toString("latin1", range.start + 1, range.end - 1);
  // Some writers escape the slash.
  const bytes = Buffer.from(text.includes("\\") ? text.replaceAll("\\/", "/") : text, "base64");
  if (bytes.length % 4 !== 0) throw new SyntaxError("a vector is not a whole number of floats");
  if (!isLittleEndian) bytes.swap32();
  const floats = new Float32Array(bytes.length / 4);
  Buffer.from(floats.buffer).set(bytes);
  return floats;
}
