import sharp, { type OverlayOptions } from "sharp";
import { randomFrom } from "../content/hash.ts";
import { drawn, enlarged, lineLength, wrapped } from "./letters.ts";

type ImageFormat = "png" | "jpeg" | "webp";
export interface ImageSpec {
  /** Determines the image. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  /** Written across the bottom; empty for an image without words. */
  readonly caption: string;
  /** Half of the fields are transparent; PNG and WebP only. */
  readonly transparent?: boolean;
  /** 1 to 100; JPEG and WebP only. */
  readonly quality?: number;
}

const fields = 8;
const rememberedBytes = 64 * 1024 * 1024;
const encoded = new Map<string, Buffer>();
let held = 0;

function remember(key: string, bytes: Buffer): void {
  encoded.set(key, bytes);
  held += bytes.length;
  for (const [oldest, old] of encoded) {
    if (held <= rememberedBytes) break;
    encoded.delete(oldest);
    held -= old.length;
  }
}

/** Approximate number of letters per line of an image. */
const lettersAcross = 30;
const dark = 32;
const light = 244;

/**
 * The words of an image on a light band across it; undefined for an image without words, or without
 * room for them.
 */
function bandOf({ caption, width, height }: ImageSpec): OverlayOptions | undefined {
  const scale = Math.max(1, Math.floor(width / (6 * (lettersAcross + 2))));
  const across = Math.floor(width / scale);
  const lines = wrapped(caption, lineLength(across) - 1, 3);
  const band = enlarged(drawn([...lines, `simulator ${width}x${height}`], across), scale);
  if (caption === "" || band.height > height / 2) return undefined;
  const data = Buffer.alloc(width * band.height, light);
  for (const [at, dot] of band.dots.entries()) {
    if (dot === 1) data[Math.floor(at / band.width) * width + (at % band.width)] = dark;
  }
  return { input: data, raw: { width, height: band.height, channels: 1 }, gravity: "south" };
}

async function encode(spec: ImageSpec): Promise<Buffer> {
  const { digest, width, height, format, transparent = false, quality = 80 } = spec;
  const random = randomFrom(digest, "image");
  const channels = transparent ? 4 : 3;
  const raw = Buffer.alloc(fields * fields * channels);
  for (let at = 0; at < raw.length; at++) raw[at] = 96 + Math.floor(random() * 128);
  if (transparent) for (let at = 3; at < raw.length; at += 4) raw[at] = at % 8 === 3 ? 0 : 255;
  const mosaic = sharp(raw, { raw: { width: fields, height: fields, channels } });
  const band = bandOf(spec);
  const picture = mosaic.resize(width, height, { kernel: "nearest", fit: "fill" }).composite(band ? [band] : []);
  // Compositing words adds an alpha channel.
  if (!transparent) picture.removeAlpha();
  if (format === "png") return picture.png({ compressionLevel: 1 }).toBuffer();
  const options = { quality: Math.max(1, Math.min(100, quality)) };
  return format === "jpeg" ? picture.jpeg(options).toBuffer() : picture.webp({ ...options, effort: 0 }).toBuffer();
}

/**
 * An image file of a mosaic of 8 x 8 fields with its caption, in exactly the requested size in
 * pixels. Deterministic.
 */
export async function imageFile(spec: ImageSpec): Promise<Buffer> {
  const key = JSON.stringify(spec);
  const known = encoded.get(key);
  if (known !== undefined) return known;
  const bytes = await encode(spec);
  remember(key, bytes);
  return bytes;
}

/** Whether a file decodes as an image completely. */
export async function decodes(bytes: Buffer): Promise<boolean> {
  try {
    await sharp(bytes, { failOn: "error", limitInputPixels: 100_000_000 }).resize(1, 1).raw().toBuffer();
    return true;
  } catch {
    // The decoder's own message is not the provider's.
    return false;
  }
}

/**
 * Whether a PNG has an alpha channel, and whether it has colours: from its header and its tRNS
 * chunk.
 */
export function pngKind(bytes: Buffer): { alpha: boolean; colours: boolean } {
  const type = bytes[25] ?? 0;
  return {
    alpha: type === 4 || type === 6 || bytes.includes("tRNS", 33, "latin1"),
    colours: type !== 0 && type !== 4,
  };
}
