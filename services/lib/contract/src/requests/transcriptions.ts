import { z } from "zod";

/** Longest audio file, bytes (OpenAI's guide, speech to text: 25 MB). */
export const maxAudioBytes = 25 * 1024 * 1024;

/** Audio formats, by the ending of a file's name (OpenAI's reference, create transcription). */
export const audioEndings = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"] as const;

/** The formats of a response. */
const responseFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;

/** A format of a response. */
export type ResponseFormat = (typeof responseFormats)[number];

/** Longer than any model reads: Whisper uses the last 224 tokens. */
const maxPromptChars = 16_000;
const maxStrategyChars = 1_000;

const temperature = z
  .string()
  .regex(/^(?:\d{1,3}|\d{0,3}\.\d{1,18})$/, "must be a number")
  .refine((text) => Number(text) <= 1, "must be from 0 to 1")
  .describe("A number from 0 to 1.");

/** The text fields of the form of `POST /v1/audio/transcriptions` (OpenAI's reference). */
export const transcriptionFields = z.looseObject({
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/, "must be an ISO 639-1 code, such as en")
    .describe("The audio's language, as an ISO 639-1 code; default: it is detected.")
    .optional(),
  prompt: z
    .string()
    .max(maxPromptChars)
    .describe("Text that guides the model's style, or precedes the audio.")
    .optional(),
  response_format: z.enum(responseFormats).describe("Default: `json`.").optional(),
  temperature: temperature.optional(),
  "timestamp_granularities[]": z
    .array(z.enum(["word", "segment"]))
    .max(2)
    .describe("Only with `verbose_json`; default: segments.")
    .optional(),
  stream: z
    .enum(["true", "false"])
    .describe("Returns the text as events while the audio is read; `whisper-1` ignores it.")
    .optional(),
  "include[]": z
    .array(z.enum(["logprobs"]))
    .max(1)
    .describe("`logprobs`: the log probability of each token, with the format `json`.")
    .optional(),
  chunking_strategy: z
    .string()
    .max(maxStrategyChars)
    .describe("How the audio is divided: `auto`, or an object as JSON; default: it is not.")
    .optional(),
});

/** The text fields of the form of `POST /v1/audio/translations` (OpenAI's reference). */
export const translationFields = transcriptionFields.pick({ prompt: true, temperature: true }).extend({
  prompt: z
    .string()
    .max(maxPromptChars)
    .describe("Text in English that guides the model's style, or precedes the audio.")
    .optional(),
  response_format: z.enum(["json", "text", "srt", "verbose_json", "vtt"]).describe("Default: `json`.").optional(),
});

/** The fields of both forms that are not text alone: the model, and the file, which is read separately. */
const modelAndFile = {
  model: z.string().min(1),
  file: z.file().describe(`The audio, at most 25 MiB: ${audioEndings.join(", ")}.`),
};

/** The whole form of a transcription. */
export const transcriptionRequest = transcriptionFields.extend(modelAndFile);

/** The whole form of a translation. */
export const translationRequest = translationFields.extend(modelAndFile);
