import { type FileHandle, open, readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { diskPoint } from "./disk-point.ts";
import { findFrame, headerBytes, readFrame, readSalt } from "./frame.ts";

/**
 * Bytes of a segment that are not a record although records follow, or that end a segment other
 * than the last.
 */
export interface Damage {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** The path of a segment by number. */
export function segmentPath(dir: string, number: number): string {
  return join(dir, `${String(number).padStart(6, "0")}.seg`);
}

/** The segment numbers in `dir`, ascending. */
export async function listSegments(dir: string): Promise<number[]> {
  diskPoint("list");
  const numbers = (await readdir(dir)).map((name) => /^(\d{6,})\.seg$/.exec(name)?.[1]).filter((text) => text);
  return numbers.map(Number).sort((a, b) => a - b);
}

function openToRead(path: string): Promise<FileHandle> {
  diskPoint("read");
  return open(path, "r");
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The salt in a segment's header; undefined when the header cannot be read. */
export async function segmentSalt(path: string): Promise<number | undefined> {
  await using file = await openToRead(path);
  return readSalt(await readBytes(file, 0, headerBytes));
}

/** The byte range of a segment to read, and the chunk size. */
export interface ReadOptions {
  readonly path: string;
  readonly salt: number;
  readonly offset: number;
  /** Where the valid bytes end. */
  readonly end: number;
  readonly chunkBytes: number;
  /** Called with each record and where it ends; false stops after it. The payload is a view. */
  readonly visit: (payload: Buffer, end: number) => boolean;
  readonly damaged: (damage: Damage) => void;
}

/**
 * Reads about `chunkBytes` worth of records and returns where to continue: `end` when all was read.
 */
export async function readRecords(options: ReadOptions): Promise<number> {
  const { path, salt, end } = options;
  await using file = await openToRead(path);
  let base = Math.max(options.offset, headerBytes);
  let chunk = await readBytes(file, base, Math.max(0, Math.min(end - base, options.chunkBytes)));
  let at = 0;
  for (;;) {
    if (base + at >= end) return end;
    const frame = readFrame(chunk, at, salt);
    if (frame.kind === "record") {
      at = frame.next;
      if (!options.visit(frame.payload, base + at)) return base + at;
      continue;
    }
    if (base + chunk.length < end) {
      if (frame.kind === "partial" && at > 0) return base + at;
      base += at;
      at = 0;
      chunk = await readBytes(file, base, end - base);
      if (base + chunk.length < end) throw new Error(`${path} is shorter than the data written to it`);
      continue;
    }
    const found = findFrame(chunk, at + 1, salt);
    options.damaged({ path, offset: base + at, bytes: (found === -1 ? chunk.length : found) - at });
    if (found === -1) return end;
    at = found;
  }
}

/**
 * Truncates what a dying process left incomplete: everything after the segment's last complete
 * record.
 * @returns the segment's length, and how many bytes were cut
 */
export async function cutTornTail(path: string, salt: number): Promise<{ size: number; cut: number }> {
  const { buffer, length } = await readAll(path);
  let size = Math.min(headerBytes, length);
  for (let at = size; at !== -1; ) {
    const frame = readFrame(buffer, at, salt);
    if (frame.kind === "record") {
      at = frame.next;
      size = at;
    } else {
      at = findFrame(buffer, at + 1, salt);
    }
  }
  if (size < length) await truncate(path, size);
  return { size, cut: length - size };
}

async function readAll(path: string): Promise<{ buffer: Buffer; length: number }> {
  await using file = await openToRead(path);
  const { size } = await file.stat();
  const buffer = await readBytes(file, 0, size);
  return { buffer, length: buffer.length };
}
