import type { Upstream } from "@uag/catalog/types.ts";
import type { DisconnectRule } from "../disconnect/watch.ts";
import type { HttpPools } from "../http/pools.ts";
import type { AudioFetcher } from "./fetch.ts";

/** Samples a second of all speech that is handed on: 16-bit little-endian, one channel. */
export const sampleRate = 24_000;

/** One text that an upstream speaks in one call. */
export interface SpeechCall {
  readonly requestId: string;
  readonly text: string;
  readonly voice: string;
  readonly instructions: string | undefined;
  /** Fetches sound that an upstream left at a URL. */
  readonly audio: AudioFetcher;
}

/** What an upstream counted. */
export interface CharacterReport {
  readonly characters: number;
  /** The upstream's usage object as it came (JSON). */
  readonly raw: Buffer;
}

/** Speech as it comes. */
export interface SpokenText {
  /** PCM, see {@link sampleRate}; pieces of any length. Throws `UpstreamFailure` when it breaks. */
  readonly pcm: AsyncGenerator<Buffer, void, undefined>;
  /** The upstream's count so far; of the whole text once `pcm` has ended. */
  usage(): CharacterReport | undefined;
}

export interface SpeechAdapter {
  /**
   * One try of one upstream; resolves with the first sound.
   * @throws {UpstreamFailure}
   */
  speak(call: SpeechCall, at: SpeechSite): Promise<SpokenText>;
}

/** Where and with what an upstream is asked. */
export interface SpeechSite {
  readonly upstream: Upstream;
  readonly pools: HttpPools;
  readonly signal: AbortSignal;
  readonly disconnect: DisconnectRule;
}
