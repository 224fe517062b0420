import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, spoken, usageIn } from "../../test/embedding-cases.ts";

test("renames fields for Voyage and sends none that it does not support", () => {
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

test("reads Voyage's token count", () => {
  const list = '"data":[{"index":0,"embedding":[1]}]';
  assert.deepEqual(usageIn("voyage", `{${list},"usage":{"total_tokens":6}}`), [6, '{"total_tokens":6}']);
});

test("classifies Voyage's errors, keeping their messages without our key", () => {
  const unknown = { detail: "Model x is not supported. Supported models are y." };
  assert.deepEqual(failureOf("voyage", 400, { detail: "too long" }), ["client", "too long"]);
  assert.equal(failureOf("voyage", 400, unknown)[0], "unknown_model");
  assert.deepEqual(failureOf("voyage", 401, { detail: "bad key sk-secret-key" }), ["operator", "bad key [redacted]"]);
  assert.deepEqual(failureOf("voyage", 429, { detail: "slow down" }), ["capacity", "slow down"]);
  assert.equal(failureOf("voyage", 500, "oops")[0], "transient");
});
