import assert from "node:assert/strict";
import { events, failedWithUsage, json, type OddCase, retried, send, unusable } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind } from "@uag/harness/odd-provider/cases";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { httpBytes } from "@uag/harness/odd-provider/server";
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

const first = (wire: SpeechWire): string => wire.events(wire.usage)[0] as string;
const speechCases: OddCase<SpeechWire>[] = [
  {
    name: "no end",
    kind: "stream",
    respond: (wire) => send("200 OK", events, first(wire)),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "an event that is not JSON after the first audio",
    kind: "stream",
    respond: (wire) => send("200 OK", events, `${first(wire)}data: not json\n\n`),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "a first event that is not JSON",
    kind: "stream",
    respond: () => send("200 OK", events, "data: not json\n\n"),
    ...unusable,
  },
  {
    name: "a reset after the first audio",
    kind: "stream",
    respond: (wire) => ({
      pieces: [httpBytes("200 OK", { ...events, "transfer-encoding": "chunked" }, ""), chunked(first(wire))],
      pauseMs: 20,
      end: "reset",
    }),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "an error event with usage after the first audio",
    kind: "stream",
    respond: (wire) =>
      send(
        "200 OK",
        events,
        `${first(wire)}event:error\n:HTTP_STATUS/500\ndata:${wire.error({ usage: wire.usage })}\n\n`,
      ),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "no audio",
    respond: (wire) => send("200 OK", json, wire.spoken("", wire.usage)),
    ...failedWithUsage,
  },
  {
    name: "no audio, without usage",
    respond: (wire) => send("200 OK", json, wire.spoken("", undefined)),
    ...retried,
  },
  {
    name: "a WAV file that has no samples",
    respond: (wire) =>
      send("200 OK", json, wire.spoken(Buffer.from("RIFF\0\0\0\0WAVE").toString("base64"), wire.usage)),
    ...failedWithUsage,
  },
];

function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

const body = (format: string) => (marker: string) => ({
  model: "voice",
  input: marker,
  voice: "Cherry",
  response_format: format,
});
/** Characters are billed and held at one price, and audio has no other unit. */
const noCounters: OddMode["differs"] = { "a counter without a price": { bill: "usage" } };
const common = {
  wire: speechWire,
  stream: true,
  operation: "audio.speech",
  usageNanoUsd: 50_000n,
  differs: noCounters,
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
  cases: [...commonCases, otherKind, ...speechCases],
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
