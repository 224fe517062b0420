import { randomFrom } from "../content/hash.ts";
import { silentTrack } from "./aac.ts";
import { type H264, h264Of } from "./h264.ts";
import { type Bitmap, drawn, enlarged, lineLength, wrapped } from "./letters.ts";
import { ascii, box, fullBox, u8, u16, u32, unitMatrix } from "./mp4-boxes.ts";
import { movieTicks, movieTimescale, type Track, trackBox } from "./mp4-track.ts";

export interface VideoSpec {
  /** Determines the colours. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly fps: number;
  readonly sound: boolean;
  /** Shown above a clock that counts the seconds; empty for a video without words. */
  readonly caption: string;
}

function avcEntry({ sps, pps }: H264, width: number, height: number): Buffer {
  const config = box(
    "avcC",
    u8(1),
    sps.subarray(1, 4),
    u8(0xff, 0xe1),
    u16(sps.length),
    sps,
    u8(1),
    u16(pps.length),
    pps,
  );
  const size = u16(width, height);
  const density = u32(0x480000, 0x480000, 0);
  return box(
    "avc1",
    u32(0),
    u16(0, 1),
    u32(0, 0, 0, 0),
    size,
    density,
    u16(1),
    Buffer.alloc(32),
    u16(0x18, 0xffff),
    config,
  );
}

/** What a second of a video shows: the caption and the elapsed time. */
function wordsAt({ caption, width, seconds }: VideoSpec, second: number): Bitmap | undefined {
  if (caption === "") return undefined;
  const across = Math.floor(width / letterScale);
  const lines = wrapped(caption, lineLength(across), 3);
  const clock = (at: number): string => `${Math.floor(at / 60)}:${String(at % 60).padStart(2, "0")}`;
  return enlarged(drawn([...lines, `${clock(second)} / ${clock(Math.ceil(seconds))}`], across), letterScale);
}

const letterScale = 3;

function pictureTrack(spec: VideoSpec): Track {
  const { digest, width, height, seconds, fps } = spec;
  const random = randomFrom(digest, "video");
  const shade = () => 48 + Math.floor(random() * 160);
  const frames = Math.max(1, Math.round(seconds * fps));
  const stream = h264Of({
    width,
    height,
    fps,
    frames,
    colour: () => ({ y: shade(), cb: shade(), cr: shade() }),
    words: (second) => wordsAt(spec, second),
  });
  return {
    kind: "video",
    timescale: fps * 512,
    sampleTicks: 512,
    samples: stream.frames.map(({ nal }) => Buffer.concat([u32(nal.length), nal])),
    keySamples: stream.frames.flatMap(({ key }, index) => (key ? [index + 1] : [])),
    entry: avcEntry(stream, width, height),
    width,
    height,
  };
}

function movieBox(tracks: readonly Track[], offset: number): Buffer {
  let at = offset;
  const boxes = tracks.map((track, index) => {
    const trak = trackBox(track, index + 1, at);
    at += track.samples.reduce((sum, sample) => sum + sample.length, 0);
    return trak;
  });
  const length = Math.max(...tracks.map(movieTicks));
  const rate = u32(0x10000);
  const header = fullBox(
    "mvhd",
    0,
    u32(0, 0, movieTimescale, length),
    rate,
    u16(0x100, 0),
    u32(0, 0),
    unitMatrix,
    Buffer.alloc(24),
    u32(tracks.length + 1),
  );
  return box("moov", header, ...boxes);
}

/**
 * An MP4 file of the requested size and length (H.264 baseline, silent AAC if it has audio) that
 * can be played while loading.
 */
export function mp4Of(spec: VideoSpec): Buffer {
  const tracks = [pictureTrack(spec), ...(spec.sound ? [silentTrack(spec.seconds)] : [])];
  const type = box("ftyp", ascii("isom"), u32(0x200), ascii("isomiso2avc1mp41"));
  // The offsets do not change the size of the movie box, so a first one is built to measure it.
  const offset = type.length + movieBox(tracks, 0).length + 8;
  return Buffer.concat([type, movieBox(tracks, offset), box("mdat", ...tracks.flatMap(({ samples }) => samples))]);
}
