import type { Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "../disconnect/watch.ts";
import type { HttpPools } from "../http/pools.ts";
import type { AudioFetcher } from "./fetch.ts";

/** Sample rate of all speech that is passed on: 16-bit little-endian, one channel. */
export const sampleRate = 24_000;

/** One text to be spoken by an upstream in one call. */
export interface SpeechCall {
  readonly requestId: string;
  readonly text: string;
  readonly voice: string;
  readonly instructions: string | undefined;
  /** Fetches audio from a URL returned by an upstream. */
  readonly audio: AudioFetcher;
  /** Accounts for responses that are not streamed. */
  readonly memory: ResponseMemory;
}

/** The character count reported by an upstream. */
export interface CharacterReport {
  readonly characters: number;
  /** The upstream's usage object, unmodified (JSON). */
  readonly raw: Buffer;
}

/** Streamed speech. */
export interface SpokenText {
  /** PCM, see {@link sampleRate}; chunks of any length. Throws `UpstreamFailure` when it breaks. */
  readonly pcm: AsyncGenerator<Buffer, void, undefined>;
  /** The upstream's count so far; for the whole text once `pcm` has ended. */
  usage(): CharacterReport | undefined;
}

export interface SpeechAdapter {
  /**
   * One attempt at one upstream; resolves with the first audio.
   * @throws {UpstreamFailure}
   */
  speak(call: SpeechCall, at: SpeechSite): Promise<SpokenText>;
}

/** The upstream to call, and the means to do so. */
export interface SpeechSite {
  readonly upstream: Upstream;
  readonly pools: HttpPools;
  readonly signal: AbortSignal;
  readonly disconnect: DisconnectRule;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly speech?: SpeechAdapter;
  }
}
