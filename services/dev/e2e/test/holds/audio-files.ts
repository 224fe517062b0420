import { tone } from "@uag/router/openapi/examples/tone";
import type { Random } from "./chat-requests.ts";

/** Makes an audio file. */
type AudioFile = (random: Random) => Buffer;

const between = (random: Random, low: number, high: number): number => Math.round(low + random() * (high - low));

/** A WAV file of up to ten minutes; its header states any number of bytes. */
const wav: AudioFile = (random) => {
  const file = Buffer.concat([tone(), Buffer.alloc(8_000 * between(random, 0, 600), 128)]);
  file.writeUInt32LE(random() < 0.5 ? file.length - 44 : between(random, 0, 2 ** 32 - 1), 40);
  return file;
};

/** MPEG-2 layer III at 24 kHz and the lowest bit rates, whose Xing header may state one frame. */
const mp3: AudioFile = (random) => {
  const index = between(random, 1, 8);
  const kbits = [8, 16, 24, 32, 40, 48, 56, 64][index - 1] as number;
  const frame = Buffer.alloc(Math.floor((72_000 * kbits) / 24_000));
  frame.writeUInt32BE(0xfff3_04c0 + index * 0x1000);
  const frames = Array.from({ length: between(random, 4, 4_000) }, () => frame);
  if (random() < 0.5 || frame.length < 60) return Buffer.concat(frames);
  const xing = Buffer.from(frame);
  // A mono frame of MPEG-2 has nine bytes of side information before it.
  xing.write("Xing", 13, "latin1");
  xing.writeUInt32BE(3, 17);
  xing.writeUInt32BE(1, 21);
  xing.writeUInt32BE(frame.length, 25);
  return Buffer.concat([xing, ...frames]);
};

/** Files of containers whose headers are cut off. */
const container =
  (head: string): AudioFile =>
  (random) =>
    Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(between(random, 8_000, 500_000), 7)]);

/** Audio files of every format. */
export const audioFiles: readonly AudioFile[] = [
  wav,
  mp3,
  container("OggS\0\x02"),
  container("\x1a\x45\xdf\xa3"),
  container("\0\0\0\x20ftypM4A "),
];
