import assert from "node:assert/strict";
import { test } from "node:test";
import { base, failureOf, spoken, usageIn } from "../../test/embedding-cases.ts";

test("OpenAI is asked for base64, with the size only when one is asked for", () => {
  const { path, headers, body } = spoken("openai");
  assert.equal(path, "/embeddings");
  assert.ok(headers.join(" ").includes("authorization Bearer sk-secret-key"));
  assert.ok(headers.join(" ").includes("x-client-request-id req_1"));
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "base64" });
  assert.equal(spoken("openai", { dimensions: 2 }).body.dimensions, 2);
  assert.deepEqual(spoken("openai", { inputs: [[1, 2]] }).body.input, [[1, 2]]);
});

test("an upstream that knows one size of vectors is not told another, and its vectors are not finished", () => {
  const { adapter, upstream, body } = spoken("openai", { dimensions: 2 }, { vectorsCutHere: true });
  assert.equal("dimensions" in body, false);
  const response = Buffer.from('{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1}}');
  const call = { ...base, inputs: ["a"] };
  assert.equal(adapter.decode(response, { ...call, dimensions: 2 }, upstream).finished, false);
  assert.equal(adapter.decode(response, call, upstream).finished, true);
});

test("tokens are read where they are said; zero and nothing are no count", () => {
  const list = '"data":[{"index":0,"embedding":[1]}]';
  const usage = '{"prompt_tokens":5,"total_tokens":5}';
  assert.deepEqual(usageIn("openai", `{${list},"usage":${usage}}`), [5, usage]);
  assert.equal(usageIn("openai", `{${list},"usage":{"prompt_tokens":0,"total_tokens":0}}`), undefined);
  assert.equal(usageIn("openai", `{${list},"usage":null}`), undefined);
});

test("failures are told apart, also under a good status", () => {
  const body = { error: { message: "no", type: "invalid_request_error" } };
  assert.deepEqual(failureOf("openai", 400, body), ["client", "no"]);
  const { adapter, upstream } = spoken("openai");
  assert.throws(() => adapter.decode(Buffer.from('{"error":{"message":"x","type":"server_error"}}'), base, upstream), {
    kind: "transient",
  });
});
