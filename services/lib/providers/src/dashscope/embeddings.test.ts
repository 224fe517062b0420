import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, spoken } from "../../test/embedding-cases.ts";

test("DashScope is always asked for numbers", () => {
  const { path, body } = spoken("dashscope", { dimensions: 2 });
  assert.equal(path, "/compatible-mode/v1/embeddings");
  assert.deepEqual(body, { model: "real", input: ["a", "b"], encoding_format: "float", dimensions: 2 });
});

test("DashScope's insufficient quota is a limit that passes", () => {
  const body = { error: { message: "quota", code: "insufficient_quota" } };
  assert.deepEqual(failureOf("dashscope", 429, body), ["capacity", "quota"]);
});
