const opening = new Set([0x7b, 0x5b]);
const fieldNames = ["data:", "event:", "id:", "retry:", ":"];
/** How many blanks may come before the content. */
export const maxBlankBytes = 64 * 1024;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** How a response body begins; `other`: a page or text, which no model has written. */
export type BodyKind = "json" | "events" | "other";

/**
 * What a body is by its first bytes: providers and proxies send wrong content types, or none.
 * Undefined while there are only blanks, or too few bytes to tell; `other` after 64 KiB of blanks.
 */
export function bodyKind(bytes: Buffer): BodyKind | undefined {
  const start = contentStart(bytes);
  const first = bytes[start];
  if (start > maxBlankBytes) return "other";
  if (first === undefined) return undefined;
  if (opening.has(first)) return "json";
  const line = bytes.toString("latin1", start, start + 6);
  if (fieldNames.some((name) => line.startsWith(name))) return "events";
  return fieldNames.some((name) => name.startsWith(line)) ? undefined : "other";
}

/** The body without a byte order mark, which JSON must not have (RFC 8259, 8.1). */
export function withoutMark(bytes: Buffer): Buffer {
  return hasMark(bytes) ? bytes.subarray(byteOrderMark.length) : bytes;
}

function hasMark(bytes: Buffer): boolean {
  return bytes.length >= byteOrderMark.length && byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length));
}

function contentStart(bytes: Buffer): number {
  let at = hasMark(bytes) ? byteOrderMark.length : 0;
  while (at < bytes.length && at <= maxBlankBytes && (bytes[at] as number) <= 32) at++;
  return at;
}
