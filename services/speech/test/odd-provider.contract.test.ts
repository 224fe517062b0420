import assert from "node:assert/strict";
import { failedWithUsage, json, type OddCase, retried, send } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind, unusableBodies } from "@uag/harness/odd-provider/cases";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { streamCases } from "@uag/harness/odd-provider/stream-cases";
import { catalog, impatient, startSpeech } from "./support.ts";
import { pcm, type SpeechWire, speechWire } from "./wires.ts";

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
  start: (url) => startSpeech({ catalog: catalog(url, impatient) }),
});
