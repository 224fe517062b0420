import sharp from "sharp";
import { randomFrom } from "../content/hash.ts";

export type ImageFormat = "png" | "jpeg" | "webp";
export type ImageSpec = {
  /** Decides the picture. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  /** Half of the fields are see-through; PNG and WebP only. */
  readonly transparent?: boolean;
  /** 1 to 100; JPEG and WebP only. */
  readonly quality?: number;
};

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

async function encode({
  digest,
  width,
  height,
  format,
  transparent = false,
  quality = 80,
}: ImageSpec): Promise<Buffer> {
  const random = randomFrom(digest, "image");
  const channels = transparent ? 4 : 3;
  const raw = Buffer.alloc(fields * fields * channels);
  for (let at = 0; at < raw.length; at++) raw[at] = Math.floor(random() * 256);
  if (transparent) for (let at = 3; at < raw.length; at += 4) raw[at] = at % 8 === 3 ? 0 : 255;
  const picture = sharp(raw, {
    raw: { width: fields, height: fields, channels },
  }).resize(width, height, {
    kernel: "nearest",
    fit: "fill",
  });
  if (format === "png") return picture.png({ compressionLevel: 1 }).toBuffer();
  const options = { quality: Math.max(1, Math.min(100, quality)) };
  return format === "jpeg" ? picture.jpeg(options).toBuffer() : picture.webp({ ...options, effort: 0 }).toBuffer();
}

/** A file of a mosaic of 8 x 8 fields, exactly of the asked size in pixels. The same spec gives the same file. */
export async function imageFile(spec: ImageSpec): Promise<Buffer> {
  const key = JSON.stringify(spec);
  const known = encoded.get(key);
  if (known !== undefined) return known;
  const bytes = await encode(spec);
  remember(key, bytes);
  return bytes;
}

/** Whether a file decodes as an image to its last line. */
export async function decodes(bytes: Buffer): Promise<boolean> {
  try {
    await sharp(bytes, { failOn: "error", limitInputPixels: 100_000_000 }).resize(1, 1).raw().toBuffer();
    return true;
  } catch {
    // The decoder's own words are not the provider's.
    return false;
  }
}

/** Whether a PNG has an alpha channel, and whether it has colours: from its header and its tRNS chunk. */
export function pngKind(bytes: Buffer): { alpha: boolean; colours: boolean } {
  const type = bytes[25] ?? 0;
  return {
    alpha: type === 4 || type === 6 || bytes.includes("tRNS", 33, "latin1"),
    colours: type !== 0 && type !== 4,
  };
}
