import type { Operations } from "@uag/capability/operation/operation.ts";
import { createSpeech, type SpeechContext } from "./create-speech.ts";
import { listVoices } from "./list-voices.ts";

/** What this service serves, by the names that the router's table uses. */
export function operations(context: SpeechContext): Operations {
  return { "audio.speech": createSpeech(context), "audio.voices": listVoices(context) };
}
