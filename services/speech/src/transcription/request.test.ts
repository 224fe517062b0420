import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Audio } from "./form.ts";
import { readTranscription, type TranscriptionRequest } from "./request.ts";

const { models } = parseCatalog(
  `
providers:
  openai: { protocol: openai, base_url: "http://127.0.0.1:1/v1", api_key: k }
models:
  - &whisper
    id: whisper
    owned_by: acme
    created: 2026-01-01
    operations: [audio.transcriptions]
    transcription: { formats: [json, verbose_json] }
    price: { audio_seconds: 0.0001 }
    upstreams: [{ provider: openai }]
  - { <<: *whisper, id: plain, transcription: { formats: [json], prompt: false } }
  - { <<: *whisper, id: live, transcription: { formats: [json], streams: true, logprobs: true } }
`,
  {},
);

const audio: Audio = {
  chunks: [Buffer.alloc(9)],
  size: 9,
  ending: "wav",
  mediaType: "audio/wav",
  length: { measured: 1, atMost: 1 },
};

function read(fields: Readonly<Record<string, string | readonly string[]>>, id = "whisper"): TranscriptionRequest {
  const lists = new Map(Object.entries(fields).map(([name, value]) => [name, [value].flat()]));
  const last = new Map([...lists].map(([name, values]) => [name, values.at(-1) as string]));
  return readTranscription({ files: [], fields: last, lists, audio }, models.get(id) as Model);
}

const sent: [format: string, model: string, sent: string][] = [
  ["json", "whisper", "json"],
  ["verbose_json", "whisper", "verbose_json"],
  ["srt", "whisper", "verbose_json"],
  ["vtt", "whisper", "verbose_json"],
  ["text", "whisper", "verbose_json"],
  ["text", "plain", "json"],
];
for (const [format, model, expected] of sent)
  test(`asks for ${expected} if the client wants ${format} of a model with ${model === "plain" ? "json only" : "both"}`, () =>
    assert.equal(read({ response_format: format }, model).sent, expected));

test("passes the fields on under OpenAI's names, lists with every value, and leaves out empty ones", () => {
  const { fields, format } = read({
    model: "whisper",
    response_format: "verbose_json",
    language: "en",
    temperature: "0.2",
    prompt: "",
    "timestamp_granularities[]": ["word", "segment"],
    unknown: "x",
  });
  assert.equal(format, "verbose_json");
  assert.deepEqual(fields, [
    ["language", "en"],
    ["temperature", "0.2"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
  ]);
});

test("streams if the model can, and ignores the field otherwise, as OpenAI does", () => {
  assert.equal(read({ stream: "true" }, "live").stream, true);
  assert.equal(read({ stream: "false" }, "live").stream, false);
  assert.equal(read({ stream: "true" }, "whisper").stream, false);
});

test("passes on log probabilities and how the audio is divided", () => {
  const { fields } = read({ "include[]": "logprobs", chunking_strategy: "auto" }, "live");
  assert.deepEqual(fields, [
    ["include[]", "logprobs"],
    ["chunking_strategy", "auto"],
  ]);
});

const bad: [what: string, fields: Record<string, string>, param: string, model?: string][] = [
  ["an unknown format", { response_format: "xml" }, "response_format"],
  ["a prompt for a model without prompts", { prompt: "Hi" }, "prompt", "plain"],
  ["a temperature above 1", { temperature: "1.5" }, "temperature"],
  ["a temperature that is a word", { temperature: "hot" }, "temperature"],
  ["granularities without verbose_json", { "timestamp_granularities[]": "word" }, "timestamp_granularities[]"],
  ["log probabilities of a model without them", { "include[]": "logprobs" }, "include[]"],
  ["log probabilities in text", { "include[]": "logprobs", response_format: "text" }, "include[]", "live"],
];
for (const [what, fields, param, model] of bad) {
  test(`rejects ${what}, naming the field`, () => {
    assert.throws(
      () => read(fields, model),
      (error) => error instanceof GatewayError && error.code === "invalid_request" && error.param?.startsWith(param),
    );
  });
}
