import { box, fullBox, u8, u16, u32 } from "./mp4-boxes.ts";
import type { Track } from "./mp4-track.ts";

const sampleRate = 48_000;
const samplesPerFrame = 1024;
/** One AAC-LC frame of silence, mono: a single channel element without spectral data. */
const silentFrame = u8(0x00, 0xc8, 0x00, 0x80, 0x23, 0x80);

// ISO 14496-1 descriptors: elementary stream, its decoder, the audio config (AAC-LC, 48 kHz, mono),
// sync layer.
const descriptors = Buffer.concat([
  u8(0x03, 0x19, 0x00, 0x01, 0x00),
  u8(0x04, 0x11, 0x40, 0x15, 0, 0, 0),
  u32(64_000, 64_000),
  u8(0x05, 0x02, 0x11, 0x88),
  u8(0x06, 0x01, 0x02),
]);

const entry = box(
  "mp4a",
  u32(0),
  u16(0, 1),
  u32(0, 0),
  u16(1, 16, 0, 0),
  u32(sampleRate * 0x10000),
  fullBox("esds", 0, descriptors),
);

/** A silent track, mono at 48 kHz, at least this many seconds long. */
export function silentTrack(seconds: number): Track {
  const frames = Math.ceil((seconds * sampleRate) / samplesPerFrame);
  return {
    kind: "sound",
    timescale: sampleRate,
    sampleTicks: samplesPerFrame,
    samples: Array.from({ length: frames }, () => silentFrame),
    entry,
    width: 0,
    height: 0,
  };
}
