import { ascii, box, fullBox, u8, u16, u32, unitMatrix } from "./mp4-boxes.ts";

/** One track of an MP4 file: samples of equal length, stored in one chunk. */
export interface Track {
  readonly kind: "video" | "sound";
  /** Ticks per second. */
  readonly timescale: number;
  /** Ticks per sample. */
  readonly sampleTicks: number;
  readonly samples: readonly Buffer[];
  /**
   * Numbers of the samples, from 1, at which a player may start; absent when it may start at any.
   */
  readonly keySamples?: readonly number[];
  /** The sample entry box. */
  readonly entry: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Ticks per second of the movie as a whole. */
export const movieTimescale = 1000;

/** Length of a track in the movie's ticks. */
export function movieTicks({ samples, sampleTicks, timescale }: Track): number {
  return Math.round((samples.length * sampleTicks * movieTimescale) / timescale);
}

function sampleTable(track: Track, offset: number): Buffer {
  const { samples, keySamples } = track;
  return box(
    "stbl",
    fullBox("stsd", 0, u32(1), track.entry),
    fullBox("stts", 0, u32(1, samples.length, track.sampleTicks)),
    ...(keySamples === undefined ? [] : [fullBox("stss", 0, u32(keySamples.length, ...keySamples))]),
    fullBox("stsc", 0, u32(1, 1, samples.length, 1)),
    fullBox("stsz", 0, u32(0, samples.length, ...samples.map((sample) => sample.length))),
    fullBox("stco", 0, u32(1, offset)),
  );
}

/** The `trak` box of a track whose samples begin at this offset of the file. */
export function trackBox(track: Track, id: number, offset: number): Buffer {
  const isVideo = track.kind === "video";
  const volume = isVideo ? 0 : 0x100;
  const header = isVideo ? fullBox("vmhd", 1, u32(0, 0)) : fullBox("smhd", 0, u32(0));
  const name = isVideo ? "vide" : "soun";
  const size = u32(track.width * 0x10000, track.height * 0x10000);
  return box(
    "trak",
    fullBox("tkhd", 3, u32(0, 0, id, 0, movieTicks(track), 0, 0), u16(0, 0, volume, 0), unitMatrix, size),
    box(
      "mdia",
      fullBox("mdhd", 0, u32(0, 0, track.timescale, track.samples.length * track.sampleTicks), u16(0x55c4, 0)),
      fullBox("hdlr", 0, u32(0), ascii(name), u32(0, 0, 0), u8(0)),
      box("minf", header, box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1))), sampleTable(track, offset)),
    ),
  );
}
