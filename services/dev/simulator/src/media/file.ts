import { wavOf } from "../content/pcm.ts";
import { imageFile } from "./image.ts";
import { mp4Of } from "./mp4.ts";
import { speechPcm } from "./speech.ts";
import type { MediaSpec } from "./url.ts";

export interface MediaFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const mebibyte = 1024 * 1024;

/** Pads a file to this many MiB with zero bytes, which image decoders ignore. */
export function padded(bytes: Buffer, mebibytes: number | undefined): Buffer {
  if (mebibytes === undefined || bytes.length >= mebibytes * mebibyte) return bytes;
  return Buffer.concat([bytes], Math.round(mebibytes * mebibyte));
}

/**
 * WAV of 24 kHz mono 16-bit audio; `unsized` imitates encoders that do not know the length in
 * advance.
 */
export function speechWav(digest: string, seconds: number, unsized: boolean): Buffer {
  const wav = wavOf(speechPcm(digest, seconds));
  if (unsized) {
    wav.writeUInt32LE(0xffffffff, 4);
    wav.writeUInt32LE(0xffffffff, 40);
  }
  return wav;
}

/** Generates the file of a spec; `mebibytes` pads an image. */
export async function mediaFile(spec: MediaSpec, mebibytes?: number): Promise<MediaFile> {
  switch (spec.kind) {
    case "image":
      return { contentType: `image/${spec.format}`, bytes: padded(await imageFile(spec), mebibytes) };
    case "video":
      return { contentType: "video/mp4", bytes: mp4Of(spec) };
    case "speech":
      return { contentType: "audio/wav", bytes: speechWav(spec.digest, spec.seconds, spec.unsized) };
  }
}
