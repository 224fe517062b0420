import type { CapabilityContext } from "@uag/capability/context.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { AudioFetcher } from "@uag/upstreams/speech/fetch.ts";
import type { Mp3Threads } from "./audio/mp3-threads.ts";
import { createSpeech } from "./operations/create-speech.ts";
import { listVoices } from "./operations/list-voices.ts";

/** What speech does its work with. */
export interface SpeechContext
  extends Pick<
    CapabilityContext,
    "admission" | "budget" | "buffers" | "catalog" | "drains" | "events" | "health" | "pools"
  > {
  readonly threads: Mp3Threads;
  readonly audio: AudioFetcher;
  readonly maxCharacters: number;
}

/** What this service serves, by the names that the router's table uses. */
export function operations(context: SpeechContext): Record<string, LinkHandler> {
  return { "audio.speech": createSpeech(context), "audio.voices": listVoices(context) };
}
