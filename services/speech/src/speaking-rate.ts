import { sampleRate } from "@uag/upstreams/speech/types.ts";

/**
 * How fast people speak, roughly: what a length of sound stands for where no upstream has counted.
 */
const charactersPerSecond = 15;
const bytesPerSecond = 2 * sampleRate;

/** Characters that so much PCM stands for. */
export function charactersIn(pcmBytes: number): number {
  return Math.ceil((pcmBytes / bytesPerSecond) * charactersPerSecond);
}

/** Bytes of PCM that so many characters become. */
export function soundBytes(characters: number): number {
  return Math.ceil((characters / charactersPerSecond) * bytesPerSecond);
}
