import type { SpeechFormat } from "@uag/catalog/types.ts";
import { sampleRate } from "@uag/upstreams/speech/types.ts";
import type { Mp3Threads } from "./mp3-threads.ts";
import { streamedWavHeader } from "./wav-header.ts";

/** Turns PCM into what the client gets. */
export interface Encoding {
  readonly contentType: string;
  /** Before all sound. */
  readonly opening: Buffer;
  /** @param pcm whole samples */
  encode(pcm: Buffer): Promise<Buffer>;
  /** After all sound. */
  finish(): Promise<Buffer>;
  drop(): void;
}

const nothing = Buffer.alloc(0);

export function openEncoding(format: SpeechFormat, threads: Mp3Threads): Encoding {
  if (format === "mp3") {
    const encoder = threads.open();
    return { contentType: "audio/mpeg", opening: nothing, ...encoder };
  }
  return {
    contentType: "audio/wav",
    opening: streamedWavHeader(sampleRate),
    encode: async (pcm) => pcm,
    finish: async () => nothing,
    drop: () => {},
  };
}
