import assert from "node:assert/strict";
import { events, failedWithUsage, json, type OddCase, retried, send, type Wire } from "@uag/harness/odd-provider/case";
import { commonCases, unusableBodies } from "@uag/harness/odd-provider/cases";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import { startEmbedding } from "./support.ts";

const catalog = (url: string): string => `
providers:
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret, timeouts: &timeouts { first_byte: 20s, between_chunks: 1s, total: 20s } }
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
  voyage: { protocol: voyage, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
models:
  - &one
    id: one
    owned_by: acme
    created: 2026-01-01
    operations: [embeddings]
    output: [embedding]
    context_tokens: 8000
    embedding: { dimensions: 3 }
    price: { input_tokens: 1 }
    upstreams: [{ provider: one, batch: { items: 10, tokens: 8000 } }]
  - { <<: *one, id: dash, upstreams: [{ provider: dash, batch: { items: 10, tokens: 8000 } }] }
  - { <<: *one, id: gemini, upstreams: [{ provider: gemini, batch: { items: 10, tokens: 8000 } }] }
  - { <<: *one, id: voyage, upstreams: [{ provider: voyage, batch: { items: 10, tokens: 8000 } }] }
`;

interface VectorWire extends Wire {
  /** A list of these vectors, with these indexes if the protocol has them. */
  list(vectors: readonly unknown[], usage: unknown, indexes?: readonly number[]): string;
}

const vector = [0.6, 0, 0.8];
const both = [vector, vector];

const openAiList: VectorWire["list"] = (vectors, usage, indexes = [...vectors.keys()]) => {
  const data = vectors.map((embedding, at) => ({ object: "embedding", index: indexes[at], embedding }));
  return JSON.stringify({ object: "list", model: "m", data, usage });
};
const openAiError = (more: object): string =>
  JSON.stringify({ error: { message: "boom", type: "server_error", code: null }, ...more });

const openAiWire: VectorWire = {
  usageName: "usage",
  usage: { prompt_tokens: 9, total_tokens: 9 },
  list: openAiList,
  whole: (usage) => openAiList(both, usage),
  error: openAiError,
};
const voyageWire: VectorWire = {
  ...openAiWire,
  usage: { total_tokens: 9 },
  error: (more) => JSON.stringify({ detail: "boom", ...more }),
};
const geminiList: VectorWire["list"] = (vectors, usageMetadata) =>
  JSON.stringify({ embeddings: vectors.map((values) => ({ values })), usageMetadata });
const geminiWire: VectorWire = {
  usageName: "usageMetadata",
  usage: { promptTokenCount: 9 },
  list: geminiList,
  whole: (usage) => geminiList(both, usage),
  error: (more) => JSON.stringify({ error: { code: 500, message: "boom", status: "INTERNAL" }, ...more }),
};

const list =
  (vectors: readonly unknown[]) =>
  (wire: VectorWire, usage: unknown): string =>
    wire.list(vectors, usage);

const vectorCases: OddCase<VectorWire>[] = [
  ...unusableBodies<VectorWire>({
    "fewer vectors than inputs": list([vector]),
    "more vectors than inputs": list([vector, vector, vector]),
    "a vector that is too short": list([vector, [1, 0]]),
    "an empty vector": list([vector, []]),
    "a vector with a null": list([vector, [1, null, 0]]),
    "a vector with text": list([vector, [1, "x", 0]]),
  }),
  ...unusableBodies<VectorWire>({ "an empty list of vectors": list([]) }, retried),
  {
    name: "a vector that is too long",
    respond: (wire) => send("200 OK", json, wire.list([vector, [...vector, 0]], wire.usage)),
    ...failedWithUsage,
  },
  {
    name: "the same index twice",
    respond: (wire) => send("200 OK", json, wire.list(both, wire.usage, [0, 0])),
    ...failedWithUsage,
  },
  {
    name: "a stream of events",
    respond: (wire) => send("200 OK", events, `data: ${wire.whole(wire.usage)}\n\n`),
    ...failedWithUsage,
  },
];

const wires = { one: openAiWire, dash: openAiWire, gemini: geminiWire, voyage: voyageWire };
/** Voyage reports a refused request as `detail`, whatever the status. */
const voyageDiffers: OddMode["differs"] = { "status 200 with an error": { calls: 1 } };
/** Its vectors have no index, and longer ones are cut to the requested size. */
const geminiDiffers: OddMode["differs"] = {
  "the same index twice": { client: "complete" },
  "a vector that is too long": { client: "complete" },
};

const modes: OddMode<VectorWire>[] = Object.entries(wires).map(([model, wire]) => ({
  name: `vectors of ${model}`,
  wire,
  stream: false,
  streamsToClient: false,
  operation: "embeddings",
  body: (marker) => ({ model, input: [marker, "another text"], encoding_format: "float" }),
  usageNanoUsd: 9_000n,
  check(response) {
    const { data } = response.json() as unknown as { data: { embedding: number[] }[] };
    assert.deepEqual(
      data.map(({ embedding }) => embedding.map((value) => Math.round(value * 10) / 10)),
      both,
    );
  },
  ...(model === "voyage" && { differs: voyageDiffers }),
  ...(model === "gemini" && { differs: geminiDiffers }),
}));

/** Gemini's format: its own vectors pass unmodified, so that a longer one is not cut. */
const geminiModes = ["one", "gemini"].map(
  (model): OddMode<VectorWire> => ({
    name: `vectors of ${model} in Gemini's format`,
    wire: wires[model as keyof typeof wires],
    stream: false,
    streamsToClient: false,
    operation: "batch_embed_contents",
    target: `/v1beta/models/${model}:batchEmbedContents`,
    body: (marker) => ({ requests: [marker, "another text"].map((text) => ({ content: { parts: [{ text }] } })) }),
    usageNanoUsd: 9_000n,
    check(response) {
      const { embeddings } = response.json() as unknown as { embeddings: { values: number[] }[] };
      assert.deepEqual(
        embeddings.map(({ values }) => values.map((value) => Math.round(value * 10) / 10)),
        both,
      );
    },
    ...(model === "gemini" && { differs: { "the same index twice": { client: "complete" } } }),
  }),
);

testOddProviders<VectorWire>({
  modes: [...modes, ...geminiModes],
  cases: [...commonCases, ...vectorCases],
  start: (url) => startEmbedding({ catalog: catalog(url) }),
});
