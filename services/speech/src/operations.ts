import type { CapabilityContext } from "@uag/capability/context.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import type { Operations } from "@uag/capability/operation/operation.ts";
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
export function operations(context: SpeechContext): Operations {
  const errorFormat = () => nestedErrors;
  return {
    "audio.speech": { handler: createSpeech(context), errorFormat },
    "audio.voices": { handler: listVoices(context), errorFormat },
  };
}
