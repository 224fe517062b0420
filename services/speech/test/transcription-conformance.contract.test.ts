import type { ServerResponse } from "node:http";
import { conformance } from "@uag/harness/conformance";
import { startOperations } from "@uag/harness/start-operations";
import { createTranscription } from "../src/transcription/create-transcription.ts";
import { audioForm, formType, wav } from "../src/transcription/testing/audio-files.ts";

const catalog = (url: string): string => `
providers:
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret }
models:
  - id: whisper
    owned_by: acme
    created: 2026-01-01
    operations: [audio.transcriptions]
    input: [audio]
    transcription: { formats: [json, verbose_json] }
    price: { audio_seconds: 0.0001 }
    upstreams: [{ provider: openai }]
  - id: tokens
    owned_by: acme
    created: 2026-01-01
    operations: [audio.transcriptions]
    input: [audio]
    max_output_tokens: 2000
    transcription: { formats: [json], streams: true, audio_tokens_per_second: 10 }
    price: { input_tokens: 2.5, audio_input_tokens: 2.5, output_tokens: 10 }
    upstreams: [{ provider: openai }]
`;

const seconds = { type: "duration", seconds: 3 };
const tokens = {
  type: "tokens",
  input_tokens: 30,
  input_token_details: { text_tokens: 0, audio_tokens: 30 },
  output_tokens: 8,
  total_tokens: 38,
};
const segments = [{ id: 0, start: 0, end: 2.8, text: " Hello there." }];
const respond = (usage: object) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ task: "transcribe", duration: 2.8, text: "Hello there.", segments, usage }));
};
const event = (type: string, more: object): string =>
  `data: ${JSON.stringify({ type: `transcript.text.${type}`, ...more })}\n\n`;
const stream = {
  begin: (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/event-stream" }),
  piece: event("delta", { delta: "Hello ".repeat(1_500) }),
};
const respondStreamed = (response: ServerResponse): void => {
  stream.begin(response);
  response.end(event("delta", { delta: "Hello there." }) + event("done", { text: "Hello there.", usage: tokens }));
};
const errorWithUsage = (usage: object) => ({ error: { message: "boom", type: "server_error" }, usage });
const body = (model: string, format: string, streamed = "false") =>
  audioForm(wav(3), [
    ["model", model],
    ["response_format", format],
    ["stream", streamed],
  ]);
const form = { operation: "audio.transcriptions", headers: ["content-type", formType] };

conformance({
  file: import.meta.filename,
  start: (url, parts) =>
    startOperations({
      catalog: catalog(url),
      ...parts,
      operations: (context) => ({ "audio.transcriptions": createTranscription(context) }),
    }),
  cases: [
    {
      ...form,
      name: "a transcript that is billed by seconds",
      body: body("whisper", "json"),
      respond: respond(seconds),
      errorWithUsage: errorWithUsage(seconds),
    },
    {
      ...form,
      name: "a transcript that is billed by tokens",
      body: body("tokens", "json"),
      respond: respond(tokens),
      errorWithUsage: errorWithUsage(tokens),
    },
    {
      ...form,
      name: "a streamed transcript",
      body: body("tokens", "json", "true"),
      respond: respondStreamed,
      errorWithUsage: errorWithUsage(tokens),
      stream,
    },
    {
      ...form,
      name: "subtitles",
      body: body("whisper", "srt"),
      respond: respond(seconds),
      errorWithUsage: errorWithUsage(seconds),
    },
  ],
});
