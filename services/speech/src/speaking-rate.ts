import { sampleRate } from "@uag/providers/speech/types";

/**
 * Approximate speaking rate: converts audio length to characters when no upstream has counted them.
 */
const charactersPerSecond = 15;
const bytesPerSecond = 2 * sampleRate;

/** The characters that correspond to this much PCM. */
export function charactersIn(pcmBytes: number): number {
  return Math.ceil((pcmBytes / bytesPerSecond) * charactersPerSecond);
}

/** The bytes of PCM that correspond to this many characters. */
export function soundBytes(characters: number): number {
  return Math.ceil((characters / charactersPerSecond) * bytesPerSecond);
}
