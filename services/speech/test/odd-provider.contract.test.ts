import assert from "node:assert/strict";
import { failedWithUsage, json, type OddCase, retried, send } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind, unusableBodies } from "@uag/harness/odd-provider/cases";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { streamCases } from "@uag/harness/odd-provider/stream-cases";
import { startOperations } from "@uag/harness/start-operations";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { Mp3Encoders } from "../src/audio/mp3-encoders.ts";
import { operations } from "../src/operations.ts";
import { pcm, type SpeechWire, speechWire } from "./odd-provider/wire.ts";

const catalog = (url: string): string => `
providers:
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret, timeouts: { first_byte: 20s, between_chunks: 1s, total: 20s } }
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

const speechCases: OddCase<SpeechWire>[] = [
  ...unusableBodies<SpeechWire>({ "no audio": (wire, usage) => wire.spoken("", usage) }, retried),
  {
    name: "a WAV file that has no samples",
    respond: (wire) =>
      send("200 OK", json, wire.spoken(Buffer.from("RIFF\0\0\0\0WAVE").toString("base64"), wire.usage)),
    ...failedWithUsage,
  },
];

const body = (format: string) => (marker: string) => ({
  model: "voice",
  input: marker,
  voice: "Cherry",
  response_format: format,
});
/** Characters are billed and held at one price, audio has no other unit, and every event reports them. */
const byTheCharacter: OddMode["differs"] = Object.fromEntries(
  ["a counter without a price", "no end", "an event that is not JSON", "a reset after the first event"].map((name) => [
    name,
    { bill: "usage" },
  ]),
);
const common = {
  wire: speechWire,
  stream: true,
  operation: "audio.speech",
  usageNanoUsd: 50_000n,
  differs: byTheCharacter,
};

testOddProviders<SpeechWire>({
  modes: [
    {
      ...common,
      name: "streamed MP3 speech",
      streamsToClient: true,
      body: body("mp3"),
      check: ({ body: audio }, client) => assert.ok(client === "broken" || audio[0] === 0xff, "it is MP3"),
    },
    {
      ...common,
      name: "WAV speech",
      streamsToClient: false,
      body: body("wav"),
      check: ({ body: audio }) => assert.ok(audio.subarray(44).equals(pcm), "it is the provider's audio"),
    },
  ],
  cases: [...commonCases, otherKind, ...streamCases, ...speechCases],
  start: (url) =>
    startOperations({
      catalog: catalog(url),
      operations: (context, resources) =>
        operations({
          ...context,
          encoders: resources.use(new Mp3Encoders(1)),
          audio: createAudioFetcher(context.guarded),
          maxCharacters: 10_000,
        }),
    }),
});
