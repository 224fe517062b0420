import type { Operations } from "@uag/capability/operation/operation.ts";
import { createSpeech, type SpeechContext } from "./create-speech.ts";
import { listVoices } from "./list-voices.ts";

/** The operations of this service, by their names in the router's table. */
export function operations(context: SpeechContext): Operations {
  return { "audio.speech": createSpeech(context), "audio.voices": listVoices(context) };
}
