import type { Model, TranscriptFormat, TranscriptionTraits } from "@uag/catalog/types";
import { type ResponseFormat, transcriptionFields, translationFields } from "@uag/contract/requests/transcriptions";
import type { TranscriptionTask } from "@uag/providers/transcriptions/types";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import { type Audio, type AudioForm, invalid } from "./form.ts";

/** A valid request for a transcript, or for its translation. */
export interface TranscriptionRequest {
  readonly task: TranscriptionTask;
  readonly traits: TranscriptionTraits;
  readonly audio: Audio;
  readonly prompt: string;
  /** What the client gets. */
  readonly format: ResponseFormat;
  /** What the upstream is asked for. */
  readonly sent: TranscriptFormat;
  readonly stream: boolean;
  /** Further fields, under OpenAI's names. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

type Fields = z.infer<typeof transcriptionFields>;
type CommonFields = Pick<Fields, "prompt" | "response_format">;

/**
 * Validates a form for a model.
 * @throws {GatewayError} naming the field at fault
 */
export function readTranscription(form: AudioForm, model: Model): TranscriptionRequest {
  const { traits, audio } = partsOf(form, model);
  const fields = checked(transcriptionFields, valuesOf(form));
  const { format, sent } = formatsOf(fields, traits);
  checkGranularities(fields, format);
  checkIncluded(fields, format, traits);
  // OpenAI ignores the field for a model that does not stream.
  const stream = fields.stream === "true" && traits.streams;
  const { prompt = "" } = fields;
  return { task: "transcribe", traits, audio, prompt, format, sent, stream, fields: fieldsToSend(fields, passed) };
}

/**
 * Validates a form of a translation for a model. Translations are not streamed.
 * @throws {GatewayError} naming the field at fault
 */
export function readTranslation(form: AudioForm, model: Model): TranscriptionRequest {
  const { traits, audio } = partsOf(form, model);
  const fields = checked(translationFields, valuesOf(form));
  const { format, sent } = formatsOf(fields, traits);
  const { prompt = "" } = fields;
  const toSend = fieldsToSend(fields, ["prompt", "temperature"]);
  return { task: "translate", traits, audio, prompt, format, sent, stream: false, fields: toSend };
}

function partsOf({ audio }: AudioForm, { id, transcription: traits }: Model) {
  if (traits === undefined) throw new Error(`the catalogue entry of ${id} has no transcription`);
  if (audio instanceof Error) throw audio;
  return { traits, audio };
}

function formatsOf({ prompt = "", response_format: format = "json" }: CommonFields, traits: TranscriptionTraits) {
  const sent = sentFormat(format, traits);
  if (prompt !== "" && !traits.prompt) throw invalid("prompt", "is not supported by this model");
  return { format, sent };
}

/** Fields arrive as text, and an empty one counts as absent; a list has a name of its own. */
function valuesOf({ fields, lists }: AudioForm): Record<string, unknown> {
  const values = [...fields].filter(([, value]) => value !== "");
  return Object.fromEntries(
    values.map(([name, value]) => (name.endsWith("[]") ? [name, lists.get(name)] : [name, value])),
  );
}

/** Formats that the gateway makes of an upstream's, the most exact first. */
const madeOf: Readonly<Partial<Record<ResponseFormat, readonly TranscriptFormat[]>>> = {
  text: ["verbose_json", "json"],
  srt: ["verbose_json"],
  vtt: ["verbose_json"],
};

/** What to ask the upstream for. @throws {GatewayError} for a format that the model does not support */
function sentFormat(format: ResponseFormat, { formats }: TranscriptionTraits): TranscriptFormat {
  const sources: readonly ResponseFormat[] = madeOf[format] ?? [format];
  const sent = sources.map((source) => formats.find((known) => known === source)).find((known) => known !== undefined);
  if (sent !== undefined) return sent;
  throw invalid("response_format", `must be one of ${supported(formats).join(", ")} for this model`);
}

function supported(formats: readonly TranscriptFormat[]): ResponseFormat[] {
  const made = Object.entries(madeOf).filter(([, sources]) => sources.some((source) => formats.includes(source)));
  return [...formats, ...made.map(([name]) => name as ResponseFormat)];
}

function checkGranularities({ "timestamp_granularities[]": granularities = [] }: Fields, format: ResponseFormat): void {
  if (granularities.length > 0 && format !== "verbose_json")
    throw invalid("timestamp_granularities[]", "is only supported with the response_format verbose_json");
}

function checkIncluded(
  { "include[]": included = [] }: Fields,
  format: ResponseFormat,
  { logprobs }: TranscriptionTraits,
): void {
  if (included.length === 0) return;
  if (!logprobs) throw invalid("include[]", "logprobs is not supported by this model");
  if (format !== "json") throw invalid("include[]", "logprobs is only supported with the response_format json");
}

const passed = [
  "language",
  "prompt",
  "temperature",
  "timestamp_granularities[]",
  "include[]",
  "chunking_strategy",
] as const;

function fieldsToSend(
  fields: Partial<Pick<Fields, (typeof passed)[number]>>,
  names: readonly (typeof passed)[number][],
): (readonly [string, string])[] {
  return names.flatMap((name) => {
    const value = fields[name] ?? [];
    return (Array.isArray(value) ? value : [value]).map((each) => [name, each] as const);
  });
}
