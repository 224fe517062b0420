import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { findModel } from "@uag/pipeline/request/find-model";
import { modelOf } from "@uag/pipeline/request/model-of";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { readEmbeddingRequest } from "./read.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:9", api_key: k } }
models:
  - &listed
    id: listed
    owned_by: o
    created: 0
    operations: [embeddings]
    context_tokens: 100
    embedding: { dimensions: 1024, sizes: [256, 1024, 2048] }
    price: { input_tokens: 1 }
    upstreams: [{ provider: p, batch: { items: 10, tokens: 1000 } }]
  - { <<: *listed, id: any, embedding: { dimensions: 768, sizes: any, token_input: true } }
  - { <<: *listed, id: fixed, embedding: { dimensions: 1536 } }
  - { <<: *listed, id: no-embedder, operations: [images.generations], price: { images: 1 } }`,
  {},
);
const read = (fields: object | string, models: string[] = []) => {
  const body = readJsonObject(Buffer.from(typeof fields === "string" ? fields : JSON.stringify(fields)));
  const model = findModel(catalog, modelOf(body), Caller.fromPartial({ models }), "embeddings");
  return readEmbeddingRequest(body.fields, model);
};
const ok = { model: "listed", input: "a" };

const good: [what: string, fields: object, expected: object][] = [
  ["a text", ok, { inputs: ["a"], format: "float", dimensions: undefined, inputType: undefined }],
  ["a list of texts", { ...ok, input: ["a", "b"] }, { inputs: ["a", "b"] }],
  ["2,048 texts", { ...ok, input: Array(2_048).fill("a") }, {}],
  ["token ids", { model: "any", input: [1, 2] }, { inputs: [[1, 2]] }],
  ["lists of token ids", { model: "any", input: [[1], [2, 3]] }, { inputs: [[1], [2, 3]] }],
  ["base64", { ...ok, encoding_format: "base64" }, { format: "base64" }],
  ["a listed size", { ...ok, dimensions: 256 }, { dimensions: 256 }],
  ["the usual size", { ...ok, dimensions: 1024 }, { dimensions: undefined }],
  ["any smaller size", { model: "any", input: "a", dimensions: 1 }, { dimensions: 1 }],
  ["a fixed model's own size", { model: "fixed", input: "a", dimensions: 1536 }, { dimensions: undefined }],
  ["nulls", { ...ok, encoding_format: null, dimensions: null, user: null }, { format: "float" }],
  ["unknown fields", { ...ok, colour: "red" }, {}],
  ["a purpose", { ...ok, input_type: "query" }, { inputType: "query" }],
  ["white space", { ...ok, input: " " }, { inputs: [" "] }],
];
for (const [what, fields, expected] of good) {
  test(`reads a request with ${what}`, () => {
    const request = read(fields);
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(request[name as keyof typeof request], value, name);
  });
}

const bad: [what: string, fields: object | string, code: string, param: string | undefined][] = [
  ["a model that is not text", { ...ok, model: 5 }, "invalid_request", "model"],
  ["null", { ...ok, input: null }, "invalid_request", "input"],
  ["an object", { ...ok, input: { text: "a" } }, "invalid_request", "input"],
  ["a mixed list", { ...ok, input: ["a", 1] }, "invalid_request", "input[1]"],
  ["an empty list of token ids", { model: "any", input: [[1], []] }, "invalid_request", "input[1]"],
  ["a fractional token id", { model: "any", input: [[1, 1.5]] }, "invalid_request", "input[0][1]"],
];
for (const [what, fields, code, param] of bad) {
  test(`rejects ${what}, naming the field`, () => {
    assert.throws(
      () => read(fields),
      (error) => error instanceof GatewayError && error.code === code && error.param === param,
    );
  });
}

test("rejects a key that may not use the model", () => {
  assert.throws(() => read(ok, ["any"]), { code: "model_not_found" });
});
