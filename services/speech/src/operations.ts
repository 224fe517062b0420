import type { OperationsOf } from "@uag/pipeline/operation/operation";
import { createSpeech, type SpeechContext } from "./create-speech.ts";
import { listVoices } from "./list-voices.ts";
import { createTranscription, createTranslation } from "./transcription/create-transcription.ts";

/** The operations of this service, by their names in the table of routes. */
export function operations(context: SpeechContext): OperationsOf<"speech"> {
  return {
    "audio.speech": createSpeech(context),
    "audio.transcriptions": createTranscription(context),
    "audio.translations": createTranslation(context),
    "audio.voices": listVoices(context),
  };
}
