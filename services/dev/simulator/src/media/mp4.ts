import { readFileSync } from "node:fs";

export interface VideoSpec {
  /** Determines the file. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly sound: boolean;
}

/** Of a clip in `fixtures/`, which lasts a second. */
function clipOf({ width, height, sound }: VideoSpec): Buffer {
  const shape = width === height ? "square" : width > height ? "landscape" : "portrait";
  return readFileSync(new URL(`../../fixtures/${shape}-${sound ? "sound" : "silent"}.mp4`, import.meta.url));
}

/** A `free` box, which players skip. */
function freeBox(content: string): Buffer {
  const box = Buffer.from(`....free${content}`);
  box.writeUInt32BE(box.length);
  return box;
}

/**
 * An MP4 file whose headers have the requested size in pixels and length: a clip of colour bars,
 * slowed down (H.264 baseline; silent AAC if it has audio).
 */
export function mp4Of(spec: VideoSpec): Buffer {
  const { digest, width, height, seconds } = spec;
  const file = Buffer.concat([clipOf(spec), freeBox(digest)]);
  const ms = Math.round(seconds * 1000);
  // Offsets from a box's type by ISO 14496-12, version 0; the movie's timescale is milliseconds.
  const [movie, track, media] = [file.indexOf("mvhd"), file.indexOf("tkhd"), file.indexOf("mdhd")];
  file.writeUInt32BE(ms, movie + 20);
  file.writeUInt32BE(ms, track + 24);
  file.writeUInt32BE(width * 0x10000, track + 80);
  file.writeUInt32BE(height * 0x10000, track + 84);
  file.writeUInt32BE(Math.round(file.readUInt32BE(media + 20) / seconds), media + 16);
  return file;
}
