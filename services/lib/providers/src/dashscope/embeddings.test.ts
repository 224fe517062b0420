import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, spoken } from "../../test/embedding-cases.ts";

test("always requests vectors as numbers from DashScope", () => {
  const { path, body } = spoken("dashscope", { dimensions: 2 });
  assert.equal(path, "/compatible-mode/v1/embeddings");
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "float", dimensions: 2 });
});

test("treats DashScope's insufficient_quota as a temporary limit", () => {
  const body = { error: { message: "quota", code: "insufficient_quota" } };
  assert.deepEqual(failureOf("dashscope", 429, body), ["capacity", "quota"]);
});
