import assert from "node:assert/strict";
import { test } from "node:test";
import type { Protocol } from "@uag/catalog/types.ts";
import { firstUpstream, testModel } from "../../test/support.ts";
import type { FailureKind } from "../failure.ts";
import { embeddingAdapter } from "../registry.ts";
import type { EmbeddingCall } from "./types.ts";

const traits = { dimensions: 4, sizes: "any", tokenInput: false } as const;
const base: EmbeddingCall = {
  requestId: "req_1",
  traits,
  inputs: ["a", "b"],
  dimensions: undefined,
  inputType: undefined,
};

function spoken(protocol: Protocol, more: Partial<EmbeddingCall> = {}, upstreamFields = {}) {
  const upstream = { ...firstUpstream(testModel("", protocol)), ...upstreamFields };
  const adapter = embeddingAdapter(protocol) ?? assert.fail();
  const { path, headers, body } = adapter.encode({ ...base, ...more }, upstream);
  return { path, headers, body: JSON.parse(body.toString()), adapter, upstream };
}

test("OpenAI is asked for base64, with the size only when one is asked for", () => {
  const { path, headers, body } = spoken("openai");
  assert.equal(path, "/embeddings");
  assert.ok(headers.join(" ").includes("authorization Bearer sk-secret-key"));
  assert.ok(headers.join(" ").includes("x-client-request-id req_1"));
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "base64" });
  assert.equal(spoken("openai", { dimensions: 2 }).body.dimensions, 2);
  assert.deepEqual(spoken("openai", { inputs: [[1, 2]] }).body.input, [[1, 2]]);
});

test("DashScope is always asked for numbers", () => {
  const { path, body } = spoken("dashscope", { dimensions: 2 });
  assert.equal(path, "/compatible-mode/v1/embeddings");
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "float", dimensions: 2 });
});

test("Voyage gets its own names, and no field that it does not know", () => {
  const { path, body } = spoken("voyage", { dimensions: 2, inputType: "query" });
  assert.equal(path, "/v1/embeddings");
  assert.deepEqual(body, {
    model: "real",
    input: ["a", "b"],
    encoding_format: "base64",
    input_type: "query",
    output_dimension: 2,
  });
});

test("Gemini is asked for a batch, and always for a size", () => {
  const { path, headers, body } = spoken("gemini", { inputType: "document" });
  assert.equal(path, "/v1beta/models/real:batchEmbedContents");
  assert.ok(headers.join(" ").includes("x-goog-api-key sk-secret-key"));
  assert.deepEqual(body.requests[1], {
    model: "models/real",
    content: { parts: [{ text: "b" }] },
    outputDimensionality: 4,
    taskType: "RETRIEVAL_DOCUMENT",
  });
});

test("an upstream that knows one size of vectors is not told another, and its vectors are not finished", () => {
  const { adapter, upstream, body } = spoken("openai", { dimensions: 2 }, { vectorsCutHere: true });
  assert.equal("dimensions" in body, false);
  const answer = Buffer.from('{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1}}');
  const call = { ...base, inputs: ["a"] };
  assert.equal(adapter.decode(answer, { ...call, dimensions: 2 }, upstream).finished, false);
  assert.equal(adapter.decode(answer, call, upstream).finished, true);
});

test("tokens are read where each vendor says them; zero and nothing are no count", () => {
  const one = (protocol: Protocol, usage: string) => {
    const { adapter, upstream } = spoken(protocol);
    const list = protocol === "gemini" ? '"embeddings":[{"values":[1]}]' : '"data":[{"index":0,"embedding":[1]}]';
    const { usage: report } = adapter.decode(Buffer.from(`{${list}${usage}}`), { ...base, inputs: ["a"] }, upstream);
    return report && [report.tokens, report.raw.toString()];
  };
  const openAi = '{"prompt_tokens":5,"total_tokens":5}';
  assert.deepEqual(one("openai", `,"usage":${openAi}`), [5, openAi]);
  assert.deepEqual(one("voyage", ',"usage":{"total_tokens":6}'), [6, '{"total_tokens":6}']);
  assert.deepEqual(one("gemini", ',"usageMetadata":{"promptTokenCount":7}'), [7, '{"promptTokenCount":7}']);
  assert.equal(one("gemini", ""), undefined);
  assert.equal(one("openai", ',"usage":{"prompt_tokens":0,"total_tokens":0}'), undefined);
  assert.equal(one("openai", ',"usage":null'), undefined);
});

test("failures are told apart, with the vendor's words and without our key", () => {
  const kindOf = (protocol: Protocol, status: number, body: unknown): [FailureKind, string | undefined] => {
    const { adapter, upstream } = spoken(protocol);
    const failure = adapter.failureOf(
      { status, header: () => undefined, body: Buffer.from(JSON.stringify(body)) },
      upstream,
    );
    return [failure.kind, failure.said?.message];
  };
  const cases: [Protocol, number, unknown, FailureKind, string | undefined][] = [
    ["voyage", 400, { detail: "too long" }, "client", "too long"],
    ["voyage", 400, { detail: "Model x is not supported. Supported models are y." }, "unknown_model", undefined],
    ["voyage", 401, { detail: "bad key sk-secret-key" }, "operator", "bad key [redacted]"],
    ["voyage", 429, { detail: "slow down" }, "capacity", "slow down"],
    ["voyage", 500, "oops", "transient", undefined],
    ["openai", 400, { error: { message: "no", type: "invalid_request_error" } }, "client", "no"],
    ["dashscope", 429, { error: { message: "quota", code: "insufficient_quota" } }, "capacity", "quota"],
    ["gemini", 404, { error: { message: "gone", status: "NOT_FOUND" } }, "unknown_model", "gone"],
  ];
  for (const [protocol, status, body, kind, said] of cases) {
    const found = kindOf(protocol, status, body);
    assert.equal(found[0], kind, JSON.stringify(body));
    if (said !== undefined) assert.equal(found[1], said);
  }
  const { adapter, upstream } = spoken("openai");
  assert.throws(() => adapter.decode(Buffer.from('{"error":{"message":"x","type":"server_error"}}'), base, upstream), {
    kind: "transient",
  });
});
