import { crc32 } from "node:zlib";

/**
 * The bytes of a segment. Header, 16 bytes: magic, then the journal's salt three times. Record:
 * salt, payload length, CRC-32 of the payload seeded with both (each 4 bytes, little endian),
 * payload.
 *
 * The salt is random and precedes every record, so a reader can find the next record after a
 * damaged one, and no payload can be mistaken for a record whatever its bytes.
 */
export const headerBytes = 16;
/** Length of a frame's header, bytes. */
export const frameBytes = 12;
/** Longest payload of a frame, bytes. */
export const maxPayloadBytes = 16 * 1024 * 1024;

const magic = 0x314e4a55;

/** A segment's header: the magic number, and its salt three times. */
export function encodeHeader(salt: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32LE(magic, 0);
  for (const at of [4, 8, 12]) header.writeUInt32LE(salt, at);
  return header;
}

/** The salt that at least two of the header's three copies agree on; undefined when none do. */
export function readSalt(header: Buffer): number | undefined {
  if (header.length < headerBytes) return undefined;
  const [a, b, c] = [header.readUInt32LE(4), header.readUInt32LE(8), header.readUInt32LE(12)];
  if (a === b || a === c) return a;
  return b === c ? b : undefined;
}

/**
 * Writes one record at `at` and returns where the next one starts. `target` must have room for it.
 */
export function writeFrame(target: Buffer, at: number, payload: Uint8Array, salt: number): number {
  const start = at + frameBytes;
  const end = start + payload.length;
  target.set(payload, start);
  target.writeUInt32LE(salt, at);
  target.writeUInt32LE(payload.length, at + 4);
  target.writeUInt32LE(crc32(payload, seed(salt, payload.length)), at + 8);
  return end;
}

function seed(salt: number, length: number): number {
  return (salt ^ length) >>> 0;
}

/** `partial`: the bytes end before the record does. `bad`: the bytes are not a record. */
export type Frame = { kind: "record"; payload: Buffer; next: number } | { kind: "partial" } | { kind: "bad" };

const partial: Frame = { kind: "partial" };
const bad: Frame = { kind: "bad" };

/** Reads the record at `at`; its payload is a view into `source`. */
export function readFrame(source: Buffer, at: number, salt: number): Frame {
  if (at + frameBytes > source.length) return partial;
  if (source.readUInt32LE(at) !== salt) return bad;
  const length = source.readUInt32LE(at + 4);
  if (length === 0 || length > maxPayloadBytes) return bad;
  const start = at + frameBytes;
  const next = start + length;
  if (next > source.length) return partial;
  const payload = source.subarray(start, next);
  if (crc32(payload, seed(salt, length)) !== source.readUInt32LE(at + 8)) return bad;
  return { kind: "record", payload, next };
}

/** Where the next complete record at or after `from` starts, or -1. */
export function findFrame(source: Buffer, from: number, salt: number): number {
  const marker = Buffer.allocUnsafe(4);
  marker.writeUInt32LE(salt, 0);
  for (let at = source.indexOf(marker, from); at !== -1; at = source.indexOf(marker, at + 1)) {
    if (readFrame(source, at, salt).kind === "record") return at;
  }
  return -1;
}
