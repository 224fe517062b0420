import type { Upstream } from "@uag/catalog/types";
import { textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { responseFields } from "../images/response.ts";
import { errorInside, openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import type { PostedCall } from "../post.ts";
import { bodyKind } from "../reading/body-kind.ts";
import type {
  Transcript,
  TranscriptionAdapter,
  TranscriptionCall,
  TranscriptionTask,
} from "../transcriptions/types.ts";
import { MultipartForm } from "./multipart.ts";
import { collectedTranscript } from "./transcript-events.ts";
import { OpenAiTranscriptStream, replayedTranscript } from "./transcript-stream.ts";
import { transcriptionUsageIn } from "./transcription-usage.ts";

const paths: Readonly<Record<TranscriptionTask, string>> = {
  transcribe: "/audio/transcriptions",
  translate: "/audio/translations",
};

/**
 * Transcription and translation of OpenAI, and of vendors with the same protocol such as Groq
 * (OpenAI's reference, create transcription and create translation).
 */
export const openAiTranscriptions: TranscriptionAdapter = {
  encode,
  decode,
  openStream: (upstream) => new OpenAiTranscriptStream(upstream),
  replay: replayedTranscript,
  usageIn: transcriptionUsageIn,
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};

function encode(call: TranscriptionCall, upstream: Upstream): PostedCall {
  const { task, audio, format, stream, fields, requestId } = call;
  const form = new MultipartForm();
  form.field("model", upstream.model);
  form.field("response_format", format);
  if (stream) form.field("stream", "true");
  for (const [name, value] of fields) form.field(name, value);
  form.file("file", `audio.${audio.ending}`, { mediaType: audio.mediaType, chunks: audio.chunks });
  const { contentType, body } = form.finish();
  return { path: paths[task], headers: bearerHeaders(upstream.provider, requestId, contentType), body };
}

function decode(received: Buffer, upstream: Upstream): Transcript {
  const body = bodyKind(received) === "events" ? collectedTranscript(received, upstream) : received;
  const fields = responseFields(body);
  const failure = errorInside(fields, upstream, openAiVariant);
  if (failure !== undefined) throw failure;
  const text = textOf(fields["text"]);
  if (text === undefined) throw new UpstreamFailure("transient", "the response has no transcript", { status: 200 });
  return { body, fields, text, usage: transcriptionUsageIn(fields) };
}
