import { type IFormat, type IOptions, parseFromTokenizer } from "music-metadata";
import { ChunkTokenizer } from "./chunk-tokenizer.ts";
import type { AudioFormat } from "./format.ts";

/**
 * A bit rate that all speech exceeds in proportion: what a header states is not trusted below it. A
 * provider decodes the file, and a cost of more than ten times its hold would not be charged.
 */
const trustedBitsPerSecond = 32_000;

/** The length of an audio file, seconds. */
export interface AudioLength {
  /** By its headers; undefined where they state none. */
  readonly measured: number | undefined;
  /** An upper bound. */
  readonly atMost: number;
}

/**
 * Measures a file by its headers. Where they state no length, as in a recording of a browser, it is
 * bounded by the file's size.
 * @returns undefined if neither is possible
 */
export async function lengthOf(chunks: readonly Buffer[], format: AudioFormat): Promise<AudioLength | undefined> {
  const tokenizer = new ChunkTokenizer(chunks, format);
  const { size } = tokenizer.fileInfo;
  const read = await formatIn(tokenizer);
  const pcm = secondsOfPcm(read, size);
  if (pcm !== undefined) return { measured: pcm, atMost: pcm };
  const measured = positive(read.duration);
  if (measured !== undefined) return { measured, atMost: Math.max(measured, secondsAt(trustedBitsPerSecond, size)) };
  const { minBitsPerSecond: lowest } = format;
  return lowest === undefined ? undefined : { measured, atMost: secondsAt(lowest, size) };
}

/** At least. */
const wavHeaderBytes = 44;

const options: IOptions = { duration: true, skipCovers: true, skipPostHeaders: true, mkvUseIndex: true };

/** What a file's headers state, as far as it can be read. */
async function formatIn(tokenizer: ChunkTokenizer): Promise<Partial<IFormat>> {
  let format: Partial<IFormat> = {};
  const observer: NonNullable<IOptions["observer"]> = ({ metadata }) => {
    format = metadata.format;
  };
  // Whatever is wrong with an untrusted file, the provider is the one to report it.
  await parseFromTokenizer(tokenizer, { ...options, observer }).catch(() => {});
  return format;
}

/** Samples of a fixed size: the length follows from the file's, whatever its headers state. */
function secondsOfPcm({ codec, sampleRate, numberOfChannels, bitsPerSample }: Partial<IFormat>, size: number) {
  if (codec !== "PCM") return undefined;
  return positive((8 * (size - wavHeaderBytes)) / ((sampleRate ?? 0) * (numberOfChannels ?? 0) * (bitsPerSample ?? 0)));
}

function secondsAt(bitsPerSecond: number, size: number): number {
  return (8 * size) / bitsPerSecond;
}

function positive(seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
