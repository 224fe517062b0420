import assert from "node:assert/strict";
import { complete, events, failedWithUsage, json, type OddCase, retried, send } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind } from "@uag/harness/odd-provider/cases";
import { eventTypesIn } from "@uag/harness/odd-provider/event-types";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { streamCases } from "@uag/harness/odd-provider/stream-cases";
import { audioForm, formType, wav } from "../src/transcription/testing/audio-files.ts";
import { catalog, impatient, startSpeech } from "./support.ts";
import { seconds, text, tokens, transcriptWire } from "./wires.ts";

const cases: OddCase[] = [
  {
    name: "a transcript that is a list",
    respond: (odd) => send("200 OK", json, JSON.stringify({ text: [], usage: odd.usage })),
    ...failedWithUsage,
  },
  { name: "a list", respond: () => send("200 OK", json, "[1]"), ...retried },
  {
    name: "the name of the last event in its text",
    kind: "stream",
    respond: (odd) => {
      const named = JSON.stringify({ type: "transcript.text.delta", delta: '"transcript.text.done"' });
      return send("200 OK", events, `data: ${named}\n\n${odd.events?.(odd.usage)[1]}`);
    },
    ...complete,
  },
];

const mode = (model: string, format: string, more: Pick<OddMode, "usageNanoUsd" | "wire" | "check" | "differs">) => ({
  name: `${format} of the model ${model}`,
  operation: "audio.transcriptions",
  stream: false,
  streamsToClient: false,
  headers: ["content-type", formType],
  body: (marker: string) =>
    audioForm(wav(3), [
      ["model", model],
      ["prompt", marker],
      ["response_format", format],
    ]),
  ...more,
});

/** The head is sent with the first bytes, before a transcript. */
const headBeforeText: OddMode["differs"] = { "a stream of comments": { calls: 1, client: "broken" } };

const streamed = mode("tokens", "json", {
  wire: transcriptWire(tokens),
  usageNanoUsd: 30n * 2_500n + 8n * 10_000n,
  check: (response, client) => {
    const types = eventTypesIn(response);
    assert.equal(types.at(-1), client === "complete" ? "transcript.text.done" : "error", types.join());
  },
});

testOddProviders({
  modes: [
    {
      ...streamed,
      name: "a stream of the model tokens",
      stream: true,
      streamsToClient: true,
      body: (marker: string) =>
        audioForm(wav(3), [
          ["model", "tokens"],
          ["prompt", marker],
          ["stream", "true"],
        ]),
      differs: headBeforeText,
    },
    mode("tokens", "json", {
      wire: transcriptWire(tokens),
      usageNanoUsd: 30n * 2_500n + 8n * 10_000n,
      check: (response) => assert.equal(response.json()["text"], text),
    }),
    mode("seconds", "srt", {
      wire: transcriptWire(seconds),
      usageNanoUsd: 300_000n,
      check: (response) => assert.match(response.text, /^1\n00:00:00,000 --> 00:00:02,800\nHello there\.\n/),
      // A part of a second counts as a whole one: what this reports is a bill of two.
      differs: { "a count of a float": { bill: "asked" } },
    }),
  ].map((each) => ({ ...each, askedNanoUsd: 200_000n })),
  cases: [...commonCases, otherKind, ...streamCases, ...cases],
  start: (url) => startSpeech({ catalog: catalog(url, impatient) }),
});
