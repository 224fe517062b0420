import { createMp3Encoder } from "wasm-media-encoders";
import { sampleRate, toneFor } from "../content/pcm.ts";

const secondsPerCharacter = 0.065;
const shortest = 0.4;

/**
 * Duration of the speech of this many characters in seconds, wide ones counting as two; rounded to
 * milliseconds.
 */
export function speechSeconds(characters: number): number {
  return Math.round(1000 * (shortest + characters * secondsPerCharacter)) / 1000;
}

/** Speech for a text as 24 kHz mono 16-bit PCM: a tone whose pitch is derived from the digest. */
export function speechPcm(digest: string, seconds: number): Buffer {
  // A URL contains the first 16 digits of a digest. The pitch is a whole number of hertz, so that
  // one second of it repeats seamlessly.
  const second = toneFor(digest.slice(0, 16), 1);
  const length = 2 * Math.round(seconds * sampleRate);
  return Buffer.alloc(length, second);
}

/** Encodes 24 kHz mono 16-bit PCM as MP3 at 64 kbit/s. */
export async function mp3Of(pcm: Buffer): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate: 64 });
  const samples = new Float32Array(pcm.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = pcm.readInt16LE(2 * i) / 32_768;
  const parts: Buffer[] = [];
  for (let at = 0; at < samples.length; at += sampleRate) {
    // The encoder returns a view of its own memory, which the next call overwrites.
    parts.push(Buffer.from(encoder.encode([samples.subarray(at, at + sampleRate)])));
  }
  parts.push(Buffer.from(encoder.finalize()));
  return Buffer.concat(parts);
}
