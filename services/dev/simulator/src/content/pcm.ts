import { randomFrom } from "./hash.ts";

/** Sample rate of all simulated speech. */
export const sampleRate = 24_000;

const syllablesPerSecond = 4;
const harmonics = 10;
/** First and second formants of the vowels a, e, i, o, u, hertz. */
const vowels = [
  [730, 1090],
  [530, 1840],
  [270, 2290],
  [570, 840],
  [300, 870],
] as const;

/** The loudness of each harmonic of a pitch in a vowel: louder near a formant. */
function loudnessIn(vowel: readonly [number, number], pitch: number): number[] {
  const near = (hertz: number, formant: number): number => 1 / (1 + ((hertz - formant) / 150) ** 2);
  return Array.from({ length: harmonics }, (_, k) => {
    const hertz = pitch * (k + 1);
    return 0.1 / (k + 1) + near(hertz, vowel[0]) + 0.5 * near(hertz, vowel[1]);
  });
}

/**
 * Meaningless syllables as 16-bit little-endian mono PCM; pitch and vowels are derived from the
 * text. A whole number of seconds begins and ends in silence.
 */
export function toneFor(text: string, seconds: number): Buffer {
  const random = randomFrom(text, "pitch");
  const pitch = 110 + Math.floor(random() * 110);
  const spoken = Array.from({ length: Math.ceil(seconds * syllablesPerSecond) }, () => {
    const weights = loudnessIn(vowels[Math.floor(random() * vowels.length)] ?? vowels[0], pitch);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
  const samples = Math.round(seconds * sampleRate);
  const bytes = Buffer.alloc(2 * samples);
  for (let i = 0; i < samples; i++) {
    const time = i / sampleRate;
    const weights = spoken[Math.floor(time * syllablesPerSecond)] ?? [];
    const swell = Math.sin(Math.PI * syllablesPerSecond * time) ** 2;
    let wave = 0;
    for (const [k, weight] of weights.entries()) wave += weight * Math.sin(2 * Math.PI * pitch * (k + 1) * time);
    bytes.writeInt16LE(Math.round(14_000 * swell * wave), 2 * i);
  }
  return bytes;
}

/** Adds a WAV header to 16-bit mono PCM. */
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
