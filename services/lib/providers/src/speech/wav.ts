import { sampleRate } from "./types.ts";

/** A file that is not a supported WAV file. */
export class WavError extends Error {
  override readonly name = "WavError";
}

const pcmFormat = 1;
const extensibleFormat = 0xfffe;

/** True for the beginning of a WAV file. */
export function isWav(bytes: Buffer): boolean {
  return bytes.length >= 12 && bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WAVE";
}

/**
 * The samples of a WAV file of 24 kHz, 16 bits, one channel. Sizes in the header are treated as
 * limits only: streamed files contain 0 or 0xFFFFFFFF.
 * @throws {WavError}
 */
export function pcmOfWav(file: Buffer): Buffer {
  if (!isWav(file)) throw new WavError("the audio is not a WAV file");
  let formatSeen = false;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === "fmt ") {
      checkFormat(file.subarray(start, start + size));
      formatSeen = true;
    }
    if (name === "data") {
      if (!formatSeen) throw new WavError("the WAV file has no format chunk");
      const end = size === 0 ? file.length : Math.min(file.length, start + size);
      return file.subarray(start, start + ((end - start) & ~1));
    }
    // Chunks are padded to an even length.
    at = start + size + (size & 1);
  }
  throw new WavError("the WAV file has no samples");
}

function checkFormat(format: Buffer): void {
  if (format.length < 16) throw new WavError("the WAV file's format chunk is truncated");
  const code = format.readUInt16LE(0);
  const channels = format.readUInt16LE(2);
  const rate = format.readUInt32LE(4);
  const bits = format.readUInt16LE(14);
  const known = code === pcmFormat || code === extensibleFormat;
  if (known && channels === 1 && rate === sampleRate && bits === 16) return;
  throw new WavError(
    `the WAV file has the unsupported format ${code} with ${channels} channels, ${rate} Hz and ${bits} bits`,
  );
}
