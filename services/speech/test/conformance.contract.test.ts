import type { ServerResponse } from "node:http";
import { conformance } from "@uag/harness/conformance";
import { startOperations } from "@uag/harness/start-operations";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { Mp3Encoders } from "../src/audio/mp3-encoders.ts";
import { createSpeech } from "../src/create-speech.ts";

const catalog = (url: string): string => `
providers:
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret }
models:
  - id: voice
    owned_by: acme
    created: 2026-01-01
    operations: [audio.speech]
    output: [audio]
    speech: { formats: [mp3, wav], segment_characters: 600, voices: [Cherry] }
    price: { characters: 10 }
    upstreams: [{ provider: dash, model: qwen3-tts-flash }]
`;
const usage = { input_tokens: 0, output_tokens: 0, characters: 5 };
const event = (reason: string, pcm: Buffer): string => {
  const output = { finish_reason: reason, audio: { data: pcm.toString("base64") } };
  return `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify({ output, usage })}\n\n`;
};
const begin = (response: ServerResponse): void => void response.writeHead(200, { "content-type": "text/event-stream" });
const respond = (response: ServerResponse): void => {
  begin(response);
  response.end(event("null", Buffer.alloc(48_000, 1)) + event("stop", Buffer.alloc(0)));
};
const speech = { model: "voice", input: "Hello", voice: "Cherry" };

const errorWithUsage = { code: "InternalError", message: "boom", usage };

conformance({
  file: import.meta.filename,
  start: (url, parts) =>
    startOperations({
      catalog: catalog(url),
      ...parts,
      operations: (context, resources) => ({
        "audio.speech": createSpeech({
          ...context,
          encoders: resources.use(new Mp3Encoders(1)),
          audio: createAudioFetcher(context.guarded),
          maxCharacters: 10_000,
        }),
      }),
    }),
  cases: [
    {
      name: "streamed MP3 speech",
      operation: "audio.speech",
      body: { ...speech, response_format: "mp3" },
      respond,
      errorWithUsage,
      stream: { begin, piece: event("null", Buffer.alloc(48_000, 1)) },
    },
    {
      name: "WAV speech",
      operation: "audio.speech",
      body: { ...speech, response_format: "wav" },
      respond,
      errorWithUsage,
    },
  ],
});
