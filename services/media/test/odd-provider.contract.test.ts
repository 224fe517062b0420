import assert from "node:assert/strict";
import { failedWithUsage, json, type OddCase, retried, send } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind, unusableBodies } from "@uag/harness/odd-provider/cases";
import { eventTypesIn } from "@uag/harness/odd-provider/event-types";
import { type Difference, type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { streamCases } from "@uag/harness/odd-provider/stream-cases";
import type { ReceivedResponse } from "@uag/harness/start-operations";
import {
  arkWire,
  base64,
  dashScopeWire,
  geminiWire,
  type ImageWire,
  link,
  openAiWire,
  xaiWire,
} from "./odd-provider/wires.ts";
import { startMedia } from "./support.ts";

const catalog = (url: string): string => `
providers:
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret, timeouts: &timeouts { first_byte: 20s, between_chunks: 1s, total: 60s } }
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
  ark: { protocol: ark, base_url: "${url}/ark", api_key: sk-upstream-secret, timeouts: *timeouts }
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
  xai: { protocol: xai, base_url: "${url}/v1", api_key: sk-upstream-secret, timeouts: *timeouts }
models:
  - &base
    { id: alpha, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 0.05 },
      upstreams: [{ provider: dash }], image: { family: alpha } }
  - { <<: *base, id: gamma, upstreams: [{ provider: openai }],
      image_tokens: 7000, price: { input_tokens: 5, image_input_tokens: 10, image_output_tokens: 40 },
      image: { family: gamma, most_images: 10, output_tokens: { low: 272, medium: 1056, high: 4160 } } }
  - { <<: *base, id: seedream, upstreams: [{ provider: ark }], image: { family: seedream, most_images: 10 } }
  - { <<: *base, id: grok, upstreams: [{ provider: xai }], price: { images: { 1k: 0.05, 2k: 0.07 } }, image: { family: grok, most_images: 10 } }
  - { <<: *base, id: gemini, upstreams: [{ provider: gemini }], max_output_tokens: 8192,
      price: { input_tokens: 0.3, output_tokens: 2.5, image_output_tokens: 30 },
      image: { family: gemini, output_tokens: { low: 1290, medium: 1290, high: 1290 } } }
`;

const imageCases: OddCase<ImageWire>[] = [
  ...unusableBodies<ImageWire>({ "an empty list of images": (wire, usage) => wire.list([], usage) }, retried),
  {
    name: "words in place of an image",
    respond: (wire) => send("200 OK", json, wire.words(wire.usage)),
    ...failedWithUsage,
  },
  {
    name: "an image that is null",
    respond: (wire) => send("200 OK", json, wire.list([null], wire.usage)),
    ...failedWithUsage,
  },
  {
    name: "an image that is empty",
    respond: (wire) => send("200 OK", json, wire.list([""], wire.usage)),
    ...failedWithUsage,
  },
];

const byTheImage: Difference = { bill: "usage" };
/** Images have a fixed price, so their bill needs no counter and none can change it. */
const perImage: NonNullable<OddMode["differs"]> = {
  ...Object.fromEntries(
    ["no usage", "usage of null", 'usage of "text"', "usage of []", "usage of true"].map((name) => [name, byTheImage]),
  ),
  ...Object.fromEntries(
    ["negative", "text", "a float", "huge", "missing"].map((count) => [`a count of ${count}`, byTheImage]),
  ),
  "a counter without a price": byTheImage,
};

const inlineImage = (response: ReceivedResponse): void => {
  const { data } = response.json() as unknown as { data: { b64_json: string }[] };
  assert.deepEqual(
    data.map(({ b64_json }) => b64_json),
    [base64],
  );
};
const linkedImage = (response: ReceivedResponse): void => assert.match(response.text, new RegExp(link));

function seenStream(response: ReceivedResponse, client: "complete" | "broken"): void {
  const types = eventTypesIn(response);
  const last = types.at(-1) ?? "";
  assert.ok(client === "complete" ? last.endsWith(".completed") : last === "error", types.join());
}

const prompt = (marker: string) => ({ prompt: marker });
const modes: OddMode<ImageWire>[] = [
  {
    name: "an image of OpenAI",
    wire: openAiWire,
    stream: false,
    streamsToClient: false,
    operation: "images.generations",
    body: (marker) => ({ model: "gamma", prompt: marker, quality: "medium", size: "1024x1024" }),
    usageNanoUsd: 40_050_000n,
    check: inlineImage,
  },
  {
    name: "a stream of OpenAI's images",
    wire: openAiWire,
    stream: true,
    streamsToClient: true,
    operation: "images.generations",
    body: (marker) => ({
      model: "gamma",
      prompt: marker,
      quality: "medium",
      size: "1024x1024",
      stream: true,
      partial_images: 1,
    }),
    usageNanoUsd: 40_050_000n,
    check: seenStream,
  },
  {
    name: "an image of Gemini",
    wire: geminiWire,
    stream: false,
    streamsToClient: false,
    operation: "images.generations",
    body: (marker) => ({ model: "gemini", ...prompt(marker), response_format: "b64_json" }),
    usageNanoUsd: 30_003_000n,
    check: inlineImage,
    // A candidate without an image is a response of the model, which would be the same again.
    differs: { "an empty list of images, without usage": { calls: 1 } },
  },
  {
    name: "an image of DashScope",
    wire: dashScopeWire,
    stream: false,
    streamsToClient: false,
    operation: "images.generations",
    body: (marker) => ({ model: "alpha", input: { messages: [{ role: "user", content: [{ text: marker }] }] } }),
    usageNanoUsd: 50_000_000n,
    check: linkedImage,
    // DashScope reports its own faults as InternalError, whatever the status.
    differs: { ...perImage, "status 400": { calls: 3 } },
  },
  {
    name: "an image of Ark",
    wire: arkWire,
    stream: false,
    streamsToClient: false,
    operation: "images.generations",
    body: (marker) => ({ model: "seedream", ...prompt(marker), response_format: "url" }),
    usageNanoUsd: 50_000_000n,
    check: linkedImage,
    differs: perImage,
  },
  {
    name: "an image of xAI",
    wire: xaiWire,
    stream: false,
    streamsToClient: false,
    operation: "images.generations",
    body: (marker) => ({ model: "grok", ...prompt(marker), response_format: "b64_json" }),
    usageNanoUsd: 50_000_000n,
    check: inlineImage,
    // Its usage has no number of images.
    differs: { ...perImage, "an impossibly high count": byTheImage },
  },
];

testOddProviders({
  modes,
  cases: [...commonCases, { ...otherKind, kind: "stream" }, ...streamCases, ...imageCases],
  start: (url) => startMedia({ catalog: catalog(url), egressAllow: [new URL(url).host] }),
});
