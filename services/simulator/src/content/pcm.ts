import { randomFrom } from "./hash.ts";

/** Samples a second of all simulated speech. */
export const sampleRate = 24_000;

/** A soft tone as 16-bit little-endian mono PCM; its pitch follows from the text that it stands for. */
export function toneFor(text: string, seconds: number): Buffer {
  const pitch = 110 + Math.floor(randomFrom(text, "pitch")() * 220);
  const samples = Math.round(seconds * sampleRate);
  const bytes = Buffer.alloc(2 * samples);
  for (let i = 0; i < samples; i++) {
    bytes.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * pitch * i) / sampleRate)), 2 * i);
  }
  return bytes;
}

/** Puts the header of a WAV file before 16-bit mono PCM. */
export function wavOf(pcm: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + pcm.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([header, pcm]);
}
