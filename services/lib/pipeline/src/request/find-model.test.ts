import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { findModel } from "./find-model.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:9", api_key: k } }
models:
  - &text
    id: gpt-4o-mini
    owned_by: openai
    created: 0
    operations: [chat.completions, messages]
    context_tokens: 100
    max_output_tokens: 100
    price: { input_tokens: 1, output_tokens: 1 }
    upstreams: [{ provider: p }]
  - { <<: *text, id: gpt-4o }
  - { <<: *text, id: gpt-4.1-mini }
  - &vectors
    id: other-embedding
    owned_by: other
    created: 0
    operations: [embeddings]
    context_tokens: 100
    embedding: { dimensions: 8 }
    price: { input_tokens: 1 }
    upstreams: [{ provider: p, batch: { items: 10, tokens: 1000 } }]
  - { <<: *vectors, id: text-embedding-3-small, owned_by: openai }`,
  {},
);

const errorOf = (id: string, { operation = "chat.completions", models = [] as string[] } = {}): string => {
  try {
    findModel(catalog, id, Caller.fromPartial({ models }), operation);
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail(`${id} was found`);
};

const meant: readonly [id: string, model: string][] = [
  ["gpt-4o-mni", "gpt-4o-mini"],
  ["GPT-4o-mini", "gpt-4o-mini"],
  ["openai/gpt-4o-mini", "gpt-4o-mini"],
  ["openrouter/openai/GPT-4o-Mini:free", "gpt-4o-mini"],
  ["gpt 4o mini", "gpt-4o-mini"],
  ["gpt-4-1-mini", "gpt-4.1-mini"],
  ["gpt4o", "gpt-4o"],
];
for (const [id, model] of meant)
  test(`the error for the model ${id} asks whether ${model} was meant`, () => {
    const expected = `There is no model '${id}'. Did you mean '${model}'? GET /v1/models lists the models this key can use.`;
    assert.equal(errorOf(id), expected);
  });

test("no model is suggested that is not close, that the key may not use, or that the path does not serve", () => {
  const plain = (id: string) => `There is no model '${id}'. GET /v1/models lists the models this key can use.`;
  for (const id of ["claude", "x", "llama-3.1-405b", "", "/", "x".repeat(50)]) assert.equal(errorOf(id), plain(id), id);
  assert.equal(errorOf("gpt-4o-mni", { models: ["gpt-4.1*"] }), plain("gpt-4o-mni"));
  assert.equal(errorOf("gpt-4o-mni", { operation: "embeddings" }), plain("gpt-4o-mni"));
});

test("a suggestion keeps the words that clients of the messages format match", () => {
  assert.equal(errorOf("none-such", { operation: "messages" }), "model: none-such");
  assert.equal(errorOf("gpt-4o-mni", { operation: "messages" }), "model: gpt-4o-mni. Did you mean 'gpt-4o-mini'?");
});

test("the error for a model of another path names its path and a model of the same owner that fits", () => {
  assert.equal(
    errorOf("gpt-4o", { operation: "embeddings" }),
    "The model 'gpt-4o' is not available on this path. Use it at POST /v1/chat/completions. A model that is available here is 'text-embedding-3-small'.",
  );
  assert.equal(
    errorOf("gpt-4o", { operation: "embeddings", models: ["gpt-4o"] }),
    "The model 'gpt-4o' is not available on this path. Use it at POST /v1/chat/completions.",
  );
});

test("an id of the largest size gets its error within 20 ms", () => {
  const before = process.threadCpuUsage();
  errorOf("/ ._:".repeat(1_000_000));
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 20_000, `${user + system} µs`);
});

test("a model is found only if the key and every budget above it allow one of its names, and the error names the lowest budget that does not", () => {
  const level = (name: string, models: string[]) => ({
    id: `bud_${name}`,
    name,
    models,
    version: 1n,
    limits: undefined,
  });
  const caller = Caller.fromPartial({
    models: ["gpt-4*"],
    levels: [level("team", ["gpt-4o*"]), level("company", ["gpt-4o-mini"])],
  });
  const find = (id: string, operation: string) => () => findModel(catalog, id, caller, operation);
  assert.equal(find("gpt-4o-mini", "chat.completions")().id, "gpt-4o-mini");
  const rest = "does not allow the model 'gpt-4o'. GET /v1/models lists the models this key can use.";
  assert.throws(find("gpt-4o", "chat.completions"), {
    code: "model_not_found",
    message: `The budget "company" (bud_company) ${rest}`,
  });
  assert.throws(find("gpt-4.1-mini", "messages"), {
    message: 'model: gpt-4.1-mini. The budget "team" (bud_team) does not allow it.',
  });
  const unknown = "There is no model 'text-embedding-3-small'. GET /v1/models lists the models this key can use.";
  assert.throws(find("text-embedding-3-small", "embeddings"), { message: unknown });
});
