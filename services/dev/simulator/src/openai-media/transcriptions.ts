import { z } from "zod";
import { logprobsOf } from "../completions/logprobs.ts";
import { countTokens, piecesOf } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import { Form, type FormPart } from "../http/form.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { audioSeconds } from "../media/audio-seconds.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import type { Units, Usage } from "../usage.ts";
import { wrongBody } from "./image-checks.ts";
import { type Spoken, spokenIn, srtOf, verboseOf, vttOf } from "./transcript.ts";
import { type TranscriptionModel, transcriptionModelOf } from "./transcription-models.ts";

/** https://platform.openai.com/docs/guides/speech-to-text: 25 MB. */
const maxBytes = 26_214_400;
const endings = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];
const shortestSeconds = 0.1;

const schema = z.looseObject({
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z.enum(["json", "text", "srt", "verbose_json", "vtt", "diarized_json"]).optional(),
  temperature: z.coerce.number().min(0).max(1).optional(),
  stream: z.enum(["true", "false"]).optional(),
});

const translationSchema = z.looseObject({
  model: z.string(),
  prompt: z.string().optional(),
  response_format: z.enum(["json", "text", "srt", "verbose_json", "vtt"]).optional(),
  temperature: z.coerce.number().min(0).max(1).optional(),
});

type Request = z.infer<typeof schema>;

function fileOf(form: Form): FormPart {
  const file = form.files.find(({ field }) => field === "file");
  if (file === undefined) {
    const message = "Missing required parameter: 'file'.";
    throw rejectOpenAi({ status: 400, message, param: "file", code: "missing_required_parameter" });
  }
  if (file.bytes.length > maxBytes) {
    const message = `${maxBytes}: Maximum content size limit (${maxBytes}) exceeded (${file.bytes.length} bytes read)`;
    throw rejectOpenAi({ status: 413, message });
  }
  const ending = file.filename.split(".").at(-1)?.toLowerCase() ?? "";
  if (!endings.includes(ending)) {
    const message = `Invalid file format. Supported formats: [${endings.map((name) => `'${name}'`).join(", ")}]`;
    throw rejectOpenAi({ status: 400, message });
  }
  return file;
}

function secondsOf(file: FormPart, { maxSeconds }: TranscriptionModel): number {
  const seconds = audioSeconds(file.bytes);
  if (seconds === undefined) {
    const message = "Audio file might be corrupted or unsupported";
    throw rejectOpenAi({ status: 400, message, param: "file", code: "invalid_value" });
  }
  if (seconds < shortestSeconds) {
    const message = `Audio file is too short. Minimum audio length is ${shortestSeconds} seconds.`;
    throw rejectOpenAi({ status: 400, message, param: "file", code: "audio_too_short" });
  }
  if (maxSeconds !== undefined && seconds > maxSeconds) {
    const message = `audio duration ${seconds} seconds is longer than ${maxSeconds} seconds which is the maximum for this model`;
    throw rejectOpenAi({ status: 400, message, code: "invalid_value" });
  }
  return seconds;
}

function checkRequest({ language, response_format: format = "json" }: Request, model: TranscriptionModel): void {
  if (language !== undefined && !/^[a-z]{2}$/.test(language)) {
    const message = `Invalid language '${language}'. Language parameter must be specified in ISO-639-1 format.`;
    throw rejectOpenAi({ status: 400, message, param: "language", code: "invalid_language_format" });
  }
  if (!model.formats.includes(format)) {
    const [usual = "json"] = model.formats;
    const message = `response_format '${format}' is not compatible with model '${model.id}'. Use '${usual}' instead.`;
    throw rejectOpenAi({ status: 400, message, param: "response_format", code: "unsupported_value" });
  }
}

/** Log probabilities are for the format json of models that count tokens. */
function checkIncluded({ lists }: Form, format: string, model: TranscriptionModel): void {
  if (!(lists["include[]"] ?? []).includes("logprobs")) return;
  if (format === "json" && model.tokensPerSecond !== undefined) return;
  const message = `'logprobs' is not supported with model '${model.id}' and response_format '${format}'.`;
  throw rejectOpenAi({ status: 400, message, param: "include", code: "unsupported_value" });
}

/** Usage by length, or of gpt-4o's models by tokens: ten for each second of audio. */
function transcriptionUsageOf(
  seconds: number,
  spoken: Spoken,
  prompt: string,
  model: TranscriptionModel,
): { usage: Usage; units: Units } {
  const whole = Math.ceil(seconds);
  if (model.tokensPerSecond === undefined)
    return { usage: { type: "duration", seconds: whole }, units: { seconds: whole } };
  const audio = Math.ceil(seconds * model.tokensPerSecond);
  const text = countTokens(prompt);
  const output = countTokens(spoken.text);
  const usage = {
    type: "tokens",
    input_tokens: audio + text,
    input_token_details: { text_tokens: text, audio_tokens: audio },
    output_tokens: output,
    total_tokens: audio + text + output,
  };
  return { usage, units: { audio_tokens: audio, text_tokens: text, output_tokens: output } };
}

/** The log probability of each token of a text, if the request includes them. */
function logprobsIn(text: string, { lists }: Form): { logprobs?: object[] } {
  if (!(lists["include[]"] ?? []).includes("logprobs")) return {};
  const logprobs = piecesOf(text).map((piece) => {
    const { token, logprob, bytes } = logprobsOf(piece, 0);
    return { token, logprob, bytes };
  });
  return { logprobs };
}

function* eventsOf({ text }: Spoken, form: Form, usage: Usage | undefined): Generator<StreamEvent> {
  for (const delta of text.match(/\S+\s*/g) ?? []) {
    const event = { type: "transcript.text.delta", delta, ...logprobsIn(delta, form) };
    yield { data: JSON.stringify(event), tokens: countTokens(delta) };
  }
  const reported = usage === undefined ? {} : { usage };
  const last = { type: "transcript.text.done", text, ...logprobsIn(text, form), ...reported };
  yield { data: JSON.stringify(last), ...reported };
}

/** `POST /v1/audio/transcriptions`, a multipart form. */
export function openAiTranscriptions(call: Call): Reply {
  const form = call.body instanceof Form ? call.body : new Form({}, []);
  const parsed = schema.safeParse(form.fields);
  if (!parsed.success) throw wrongBody(parsed.error, form.fields);
  const request = parsed.data;
  const model = transcriptionModelOf(call.model ?? "");
  const file = fileOf(form);
  const { prompt = "", response_format: format = "json" } = request;
  checkRequest(request, model);
  checkIncluded(form, format, model);
  const seconds = secondsOf(file, model);
  const spoken = spokenIn(call, seconds, prompt);
  const { usage: trueUsage, units } = transcriptionUsageOf(seconds, spoken, prompt, model);
  const usage = reportedUsage(trueUsage, call.faults);
  const measured = { trueUsage, units };
  if (request.stream === "true" && model.streams)
    return { type: "events", framing: "sse", events: eventsOf(spoken, form, usage), ...measured };
  const reported = usage === undefined ? {} : { usage };
  if (format === "json" || format === "verbose_json") {
    const granularities = form.lists["timestamp_granularities[]"] ?? ["segment"];
    const plain = { text: spoken.text, ...logprobsIn(spoken.text, form) };
    const body = format === "json" ? plain : verboseOf(spoken, { task: "transcribe", seconds, granularities });
    return { type: "json", status: 200, body: { ...body, ...reported }, ...reported, ...measured };
  }
  return { ...textReply(spoken, format), ...measured };
}

/**
 * `POST /v1/audio/translations`, a multipart form. Its responses report no usage
 * (https://platform.openai.com/docs/api-reference/audio/createTranslation).
 */
export function openAiTranslations(call: Call): Reply {
  const form = call.body instanceof Form ? call.body : new Form({}, []);
  const parsed = translationSchema.safeParse(form.fields);
  if (!parsed.success) throw wrongBody(parsed.error, form.fields);
  const model = transcriptionModelOf(call.model ?? "");
  if (!model.translates) {
    const message = `The model \`${model.id}\` does not support translations.`;
    throw rejectOpenAi({ status: 400, message, param: "model", code: "unsupported_value" });
  }
  const { prompt = "", response_format: format = "json" } = parsed.data;
  const seconds = secondsOf(fileOf(form), model);
  const spoken = spokenIn(call, seconds, prompt);
  const { usage: trueUsage, units } = transcriptionUsageOf(seconds, spoken, prompt, model);
  const measured = { trueUsage, units };
  if (format === "json") return { type: "json", status: 200, body: { text: spoken.text }, ...measured };
  if (format !== "verbose_json") return { ...textReply(spoken, format), ...measured };
  const body = verboseOf(spoken, { task: "translate", seconds, granularities: ["segment"] });
  return { type: "json", status: 200, body, ...measured };
}

function textReply(spoken: Spoken, format: string): Reply & { readonly type: "bytes" } {
  const text = format === "srt" ? srtOf(spoken) : format === "vtt" ? vttOf(spoken) : `${spoken.text}\n`;
  const contentType = "text/plain; charset=utf-8";
  return { type: "bytes", status: 200, contentType, bytes: Buffer.from(text) };
}
