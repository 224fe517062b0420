import assert from "node:assert/strict";
import { test } from "node:test";
import { base, failureOf, spoken, usageIn } from "../../test/embedding-cases.ts";

test("requests base64 from OpenAI, and a size only if the client requested one", () => {
  const { path, headers, body } = spoken("openai");
  assert.equal(path, "/embeddings");
  assert.ok(headers.join(" ").includes("authorization Bearer sk-secret-key"));
  assert.ok(headers.join(" ").includes("x-client-request-id req_1"));
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "base64" });
  assert.equal(spoken("openai", { dimensions: 2 }).body.dimensions, 2);
  assert.deepEqual(spoken("openai", { inputs: [[1, 2]] }).body.input, [[1, 2]]);
});

test("sends no dimensions to an upstream with one vector size, and marks its vectors for shortening", () => {
  const { adapter, upstream, body } = spoken("openai", { dimensions: 2 }, { vectorsCutHere: true });
  assert.equal("dimensions" in body, false);
  const response = Buffer.from('{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1}}');
  const call = { ...base, inputs: ["a"] };
  assert.equal(adapter.decode(response, { ...call, dimensions: 2 }, upstream, () => undefined).finished, false);
  assert.equal(adapter.decode(response, call, upstream, () => undefined).finished, true);
});

test("reads the reported tokens; zero or a missing usage counts as no report", () => {
  const list = '"data":[{"index":0,"embedding":[1]}]';
  const usage = '{"prompt_tokens":5,"total_tokens":5}';
  assert.deepEqual(usageIn("openai", `{${list},"usage":${usage}}`), [5, usage]);
  assert.equal(usageIn("openai", `{${list},"usage":{"prompt_tokens":0,"total_tokens":0}}`), undefined);
  assert.equal(usageIn("openai", `{${list},"usage":null}`), undefined);
});

test("classifies failures, also under status 200", () => {
  const body = { error: { message: "no", type: "invalid_request_error" } };
  assert.deepEqual(failureOf("openai", 400, body), ["client", "no"]);
  const { adapter, upstream } = spoken("openai");
  assert.throws(
    () =>
      adapter.decode(Buffer.from('{"error":{"message":"x","type":"server_error"}}'), base, upstream, () => undefined),
    {
      kind: "transient",
    },
  );
});
