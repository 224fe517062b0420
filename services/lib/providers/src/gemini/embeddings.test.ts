import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, spoken, usageIn } from "../../test/embedding-cases.ts";

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

test("Gemini's tokens are read where it says them", () => {
  const list = '"embeddings":[{"values":[1]}]';
  const usage = '{"promptTokenCount":7}';
  assert.deepEqual(usageIn("gemini", `{${list},"usageMetadata":${usage}}`), [7, usage]);
  assert.equal(usageIn("gemini", `{${list}}`), undefined);
});

test("a model that Gemini does not have is unknown there", () => {
  const body = { error: { message: "gone", status: "NOT_FOUND" } };
  assert.deepEqual(failureOf("gemini", 404, body), ["unknown_model", "gone"]);
});
