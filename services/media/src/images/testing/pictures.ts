import { crc32, deflateSync } from "node:zlib";

const chunk = (type: string, data: Buffer): Buffer => {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
  framed.writeUInt32BE(data.length);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
};

export interface PngSpec {
  readonly width: number;
  readonly height: number;
  readonly colour: "rgb" | "rgba" | "palette+tRNS";
  /** Replaces the pixel data, for a file with a wrong header. */
  readonly data?: Buffer;
}

/** A black PNG. */
export function png({ width, height, colour, data }: PngSpec): Buffer {
  const [type, channels] = ({ rgb: [2, 3], rgba: [6, 4], "palette+tRNS": [3, 1] } as const)[colour];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = type;
  const palette = colour === "palette+tRNS" ? [chunk("PLTE", Buffer.alloc(3)), chunk("tRNS", Buffer.alloc(1))] : [];
  const pixels = chunk("IDAT", deflateSync(data ?? Buffer.alloc(height * (1 + width * channels))));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), ...palette, pixels, chunk("IEND", Buffer.alloc(0))]);
}

/** A minimal JPEG: head, size and end; enough for code that does not decode it. */
export function jpeg(width: number, height: number): Buffer {
  const app0 = Buffer.from("ffe000104a46494600010100000100010000", "hex");
  const frame = Buffer.from("ffc0001108000000000301220002110103110100", "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const tail = Buffer.from("ffda000c03010002110311003f00aaffd9", "hex");
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app0, frame, tail]);
}

/** A minimal lossless WebP. */
export function webp(width: number, height: number): Buffer {
  const data = Buffer.alloc(12);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  const head = Buffer.from("RIFF\0\0\0\0WEBPVP8L\0\0\0\0", "latin1");
  head.writeUInt32LE(4 + 8 + data.length, 4);
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}
