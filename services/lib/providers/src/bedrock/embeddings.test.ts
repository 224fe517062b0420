import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { firstUpstream, testModel } from "../../test/support.ts";
import type { EmbeddingCall } from "../embeddings/types.ts";
import { UpstreamFailure } from "../failure.ts";
import { bedrockEmbeddings } from "./embeddings.ts";

const upstream = firstUpstream(testModel("", "bedrock"));
const titan: Upstream = { ...upstream, model: "amazon.titan-embed-text-v2:0" };
const cohere: Upstream = { ...upstream, model: "us.cohere.embed-v4:0" };
const call: EmbeddingCall = {
  requestId: "req_1",
  traits: { dimensions: 2, sizes: "any", tokenInput: false },
  inputs: ["a"],
  dimensions: undefined,
  inputType: undefined,
};
const bodyOf = (more: Partial<EmbeddingCall>, at: Upstream) =>
  JSON.parse(bedrockEmbeddings.encode({ ...call, ...more }, at).body.toString());
const decoded = (body: string, inputs: readonly string[], at: Upstream, tokens?: string) => {
  const bytes = Buffer.from(body);
  const { vectors, usage, finished } = bedrockEmbeddings.decode(bytes, { ...call, inputs }, at, () => tokens);
  return {
    found: vectors.map(({ start, end }) => bytes.toString("utf8", start, end)),
    tokens: usage?.tokens,
    raw: usage?.raw.toString(),
    finished,
  };
};

test("Titan gets one text, and Cohere a list with the purpose of its texts", () => {
  assert.deepEqual(bodyOf({ dimensions: 256 }, titan), { inputText: "a", dimensions: 256, normalize: true });
  assert.deepEqual(bodyOf({ inputs: ["a", "b"], inputType: "query", dimensions: 512 }, cohere), {
    texts: ["a", "b"],
    input_type: "search_query",
    embedding_types: ["float"],
    output_dimension: 512,
  });
  assert.equal(bodyOf({}, cohere).input_type, "search_document");
  assert.equal(bedrockEmbeddings.encode(call, cohere).path, "/model/us.cohere.embed-v4%3A0/invoke");
});

test("vectors and tokens are found where each vendor has them", () => {
  const one = '{"embedding": [0.6, 0.8], "embeddingsByType": {"float": [0.6, 0.8]}, "inputTextTokenCount": 3}';
  assert.deepEqual(decoded(one, ["a"], titan), {
    found: ["[0.6, 0.8]"],
    tokens: 3,
    raw: '{"inputTextTokenCount":3}',
    finished: true,
  });
  const two =
    '{"id":"x","texts":["[1]","b"],"embeddings":{"float":[[0.6,0.8],[ 1, 0 ]]},"response_type":"embeddings_by_type"}';
  const found = ["[0.6,0.8]", "[ 1, 0 ]"];
  assert.deepEqual(decoded(two, ["[1]", "b"], cohere, "7"), {
    found,
    tokens: 7,
    raw: '{"input_tokens":7}',
    finished: false,
  });
  assert.equal(decoded(two, ["[1]", "b"], cohere).tokens, undefined, "without the header they are estimated");
});

test("a response with another number of vectors than inputs, or without any, is refused", () => {
  const cases: [body: string, at: Upstream][] = [
    ['{"embeddings":{"float":[[1,0]]}}', cohere],
    ['{"embeddings":{"float":[]}}', cohere],
    ['{"embeddings":{"float":[1,2]}}', cohere],
    ['{"message":"failed"}', cohere],
    ['{"embedding":null}', titan],
    ["<html>", titan],
  ];
  for (const [body, at] of cases) assert.throws(() => decoded(body, ["a", "b"], at), UpstreamFailure, body);
});
