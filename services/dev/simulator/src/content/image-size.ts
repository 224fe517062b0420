/** The information in the first bytes of an image file. Sizes in pixels. */
export interface ImageInfo {
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

function jpegSize(bytes: Buffer): ImageInfo | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return { mimeType: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageInfo | undefined {
  const kind = bytes.toString("latin1", 12, 16);
  const info = (width: number, height: number): ImageInfo => ({ mimeType: "image/webp", width, height });
  if (kind === "VP8 ") return info(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (kind === "VP8L") {
    const packed = bytes.readUInt32LE(21);
    return info((packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1);
  }
  if (kind === "VP8X") return info(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
  return undefined;
}

/** Type and size of a PNG, JPEG, GIF or WebP file from its header; undefined for anything else. */
export function imageInfo(bytes: Buffer): ImageInfo | undefined {
  if (bytes.length < 30) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47) {
    return { mimeType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  const magic = bytes.toString("latin1", 0, 4);
  if (magic === "GIF8") {
    return { mimeType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (magic === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") return webpSize(bytes);
  return undefined;
}
