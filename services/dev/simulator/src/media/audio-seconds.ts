import { mp3Seconds } from "./mp3-seconds.ts";

/** Bits per second of the formats that the simulator does not decode. */
const nominalBitRate = 64_000;

interface Chunk {
  readonly id: string;
  readonly start: number;
  readonly size: number;
}

/** The chunks of a RIFF file; the last one may be shorter than it states. */
function* chunksOf(wav: Buffer): Generator<Chunk> {
  for (let at = 12; at + 8 <= wav.length; ) {
    const stated = wav.readUInt32LE(at + 4);
    const size = Math.min(stated, wav.length - at - 8);
    yield { id: wav.toString("latin1", at, at + 4), start: at + 8, size };
    at += 8 + size + (size % 2);
  }
}

/** Counts a WAV file's samples, as a decoder would. */
function wavSeconds(wav: Buffer): number | undefined {
  const chunks = [...chunksOf(wav)];
  const format = chunks.find(({ id }) => id === "fmt ");
  const data = chunks.find(({ id }) => id === "data");
  if (format === undefined || format.size < 16 || data === undefined) return undefined;
  const bytesPerSecond = wav.readUInt32LE(format.start + 4) * wav.readUInt16LE(format.start + 12);
  return bytesPerSecond === 0 ? undefined : data.size / bytesPerSecond;
}

/** FLAC's STREAMINFO has the sample rate in 20 bits and the number of samples in 36. */
function flacSeconds(flac: Buffer): number | undefined {
  if (flac.length < 42) return undefined;
  const rate = flac.readUIntBE(18, 3) >> 4;
  const samples = (flac.readUInt8(21) & 15) * 2 ** 32 + flac.readUInt32BE(22);
  return rate === 0 || samples === 0 ? undefined : samples / rate;
}

/** The duration of an audio file in seconds; undefined for one that cannot be decoded. */
export function audioSeconds(bytes: Buffer): number | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("RIFF") && head.endsWith("WAVE")) return wavSeconds(bytes);
  if (head.startsWith("fLaC")) return flacSeconds(bytes);
  if (head.startsWith("ID3") || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)) return mp3Seconds(bytes);
  const known = head.startsWith("OggS") || head.startsWith("\x1a\x45\xdf\xa3") || head.slice(4, 8) === "ftyp";
  return known ? (8 * bytes.length) / nominalBitRate : undefined;
}
