export interface PngHead {
  /** 0 when the header cannot be read. */
  readonly width: number;
  readonly height: number;
  /** Whether its chunks are complete up to the last one. */
  readonly whole: boolean;
  readonly alpha: boolean;
}

const firstChunk = 8;
/** Length, type and checksum of a chunk. */
const chunkFrame = 12;
const broken: PngHead = { width: 0, height: 0, whole: false, alpha: false };

/**
 * Reads size, transparency and completeness of a PNG from its chunk headers (PNG specification,
 * 5.3, 11.2, 11.3).
 */
export function readPng(bytes: Buffer): PngHead {
  if (bytes.length < firstChunk + chunkFrame + 13 || bytes.toString("latin1", 12, 16) !== "IHDR") return broken;
  if (bytes.readUInt32BE(firstChunk) !== 13) return broken;
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const colour = bytes[25] as number;
  let alpha = colour === 4 || colour === 6;
  let data = false;
  for (let at = firstChunk; at + chunkFrame <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const next = at + chunkFrame + length;
    if (next > bytes.length) break;
    if (type === "IEND") return { width, height, whole: data, alpha };
    if (type === "tRNS") alpha = true;
    if (type === "IDAT") data = true;
    at = next;
  }
  return { width, height, whole: false, alpha };
}

const endOfImage = Buffer.from([0xff, 0xd9]);
/** Cameras and editors append some data of their own after the image. */
const trailingBytes = 64 * 1024;

/** Whether a JPEG has its end marker, near its end. */
export function isWholeJpeg(bytes: Buffer): boolean {
  return bytes.lastIndexOf(endOfImage) >= Math.max(4, bytes.length - trailingBytes);
}

/** Whether a WebP is as long as its RIFF header says. */
export function isWholeWebp(bytes: Buffer): boolean {
  return bytes.length >= 30 && bytes.readUInt32LE(4) + 8 <= bytes.length;
}
