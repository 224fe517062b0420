import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, spoken, usageIn } from "../../test/embedding-cases.ts";

test("sends Gemini a batch request that always names a size", () => {
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

test("reads token counts from Gemini's usage fields", () => {
  const list = '"embeddings":[{"values":[1]}]';
  const usage = '{"promptTokenCount":7}';
  assert.deepEqual(usageIn("gemini", `{${list},"usageMetadata":${usage}}`), [7, usage]);
  assert.equal(usageIn("gemini", `{${list}}`), undefined);
});

test("classifies a model that Gemini does not have as unknown_model", () => {
  const body = { error: { message: "gone", status: "NOT_FOUND" } };
  assert.deepEqual(failureOf("gemini", 404, body), ["unknown_model", "gone"]);
});
