import type { TranscriptFormat, Upstream } from "@uag/catalog/types";
import type { Fields } from "../conversation/fields.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse, ReplayedResponse, ResponseStream } from "../generation.ts";
import type { PostedCall } from "../post.ts";
import type { UsageReport } from "../usage-report.ts";

/** An audio file, with the type detected from its content. */
export interface AudioFile {
  /** As it was received, so that it is not copied. */
  readonly chunks: readonly Buffer[];
  /** Bytes. */
  readonly size: number;
  /** The ending of its name, by which upstreams detect its format: `mp3`. */
  readonly ending: string;
  readonly mediaType: string;
}

/** What is written: the words of the audio, or their translation into English. */
export type TranscriptionTask = "transcribe" | "translate";

/** One call to one upstream. */
export interface TranscriptionCall {
  readonly requestId: string;
  readonly task: TranscriptionTask;
  readonly audio: AudioFile;
  readonly format: TranscriptFormat;
  /** The transcript is streamed as events, in the client's format. */
  readonly stream: boolean;
  /** Further fields of the form, under OpenAI's names. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** A complete transcript. */
export interface Transcript {
  /** The response, unmodified. */
  readonly body: Buffer;
  readonly fields: Fields;
  readonly text: string;
  readonly usage: UsageReport | undefined;
}

/** Transcription through one upstream protocol. */
export interface TranscriptionAdapter {
  encode(call: TranscriptionCall, upstream: Upstream): PostedCall;
  /** @throws {UpstreamFailure} when the response has no transcript */
  decode(body: Buffer, upstream: Upstream): Transcript;
  openStream(upstream: Upstream): ResponseStream;
  /** Converts a complete transcript to a stream, for an upstream that does not stream although asked to. */
  replay(transcript: Transcript): ReplayedResponse;
  /** The usage in a response object, whatever else is in it; undefined when it reports none. */
  usageIn(response: Fields): UsageReport | undefined;
  /** Classifies a response with a bad status. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly transcriptions?: TranscriptionAdapter;
  }
}
