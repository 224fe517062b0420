import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../src/service.ts";
import { logged, send } from "./support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const { status, text } = await send(simulator, path, body, headers);
  return { status, body: JSON.parse(text) };
}

function lengthOf(vector: number[]): number {
  return Math.hypot(...vector);
}

function cosine(a: number[], b: number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / lengthOf(a) / lengthOf(b);
}

const google = { "x-goog-api-key": "good" };
const routes = [
  {
    name: "OpenAI",
    path: "/openai/v1/embeddings",
    model: "text-embedding-3-small",
    size: "dimensions",
    full: 1536,
    part: 256,
  },
  {
    name: "DashScope",
    path: "/dashscope/compatible-mode/v1/embeddings",
    model: "text-embedding-v4",
    size: "dimensions",
    full: 1024,
    part: 256,
  },
  {
    name: "Voyage",
    path: "/voyage/v1/embeddings",
    model: "voyage-3.5",
    size: "output_dimension",
    full: 1024,
    part: 256,
  },
] as const;

for (const { name, path, model, size, full, part } of routes) {
  test(`${name} returns the same unit vector for the same text, and its prefix as a shorter one`, async () => {
    const { body } = await post(path, { model, input: ["a", "b", "a"] });
    const [a, b, again] = body.data.map((item: { embedding: number[] }) => item.embedding);
    assert.deepEqual([a.length, body.data.map((item: { index: number }) => item.index)], [full, [0, 1, 2]]);
    assert.deepEqual(a, again);
    assert.notDeepEqual(a, b);
    const short = (await post(path, { model, input: "a", [size]: part })).body.data[0].embedding;
    assert.equal(short.length, part);
    for (const vector of [a, b, short]) assert.ok(Math.abs(lengthOf(vector) - 1) < 1e-6);
    assert.ok(cosine(short, a.slice(0, part)) > 0.999999);
  });
}

test("OpenAI's base64 contains the same numbers as little-endian floats, which the SDK decodes", async () => {
  const client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: "good" });
  const input = { model: "text-embedding-3-large", input: ["x", "y"], dimensions: 64 };
  const read = await client.embeddings.create(input);
  const plain = await client.embeddings.create({ ...input, encoding_format: "float" });
  for (const [i, { embedding }] of read.data.entries()) {
    assert.deepEqual(embedding, [...Float32Array.from(plain.data[i]?.embedding ?? [])]);
  }
  assert.deepEqual(read.usage, { prompt_tokens: 2, total_tokens: 2 });
});

test("counts the tokens of token arrays, and accepts 2,048 inputs in one call", async () => {
  const model = "text-embedding-3-small";
  const tokens = await post("/openai/v1/embeddings", { model, input: [[1, 2, 3], [4]] });
  assert.equal(tokens.body.usage.total_tokens, 4);
  const many = await post("/openai/v1/embeddings", { model, input: Array(2048).fill("a"), dimensions: 8 });
  assert.deepEqual([many.body.data.length, many.body.usage.prompt_tokens], [2048, 2048]);
});

const refusals = [
  [routes[0].path, { input: "", model: "text-embedding-3-small" }, 400, /'\$.input' is invalid/],
  [routes[0].path, { input: [], model: "text-embedding-3-small" }, 400, /'\$.input' is invalid/],
  [routes[0].path, { input: Array(2049).fill("a"), model: "text-embedding-3-small" }, 400, /maximum length 2048/],
  [
    routes[0].path,
    { input: "a ".repeat(9000), model: "text-embedding-3-small" },
    400,
    /maximum context length is 8192/,
  ],
  [routes[0].path, { input: Array(40).fill("a ".repeat(8000)), model: "text-embedding-3-small" }, 400, /max 300000/],
  [routes[0].path, { input: "a", model: "text-embedding-ada-002", dimensions: 8 }, 400, /does not support specifying/],
  [
    routes[0].path,
    { input: "a", model: "text-embedding-3-small", dimensions: 4000 },
    400,
    /less than or equal to 1536/,
  ],
  [routes[0].path, { input: "a", model: "nothing" }, 404, /does not exist/],
  [routes[1].path, { input: Array(11).fill("a"), model: "text-embedding-v4" }, 400, /batch size is invalid/],
  [routes[1].path, { input: "a", model: "text-embedding-v3", dimensions: 2048 }, 400, /dimension should be one of/],
  [routes[1].path, { input: "a", model: "text-embedding-v4", encoding_format: "base64" }, 400, /float/],
  [routes[2].path, { input: "a", model: "voyage-3.5", user: "me" }, 400, /'user' is not supported/],
  [routes[2].path, { input: "a", model: "voyage-3.5", encoding_format: "float" }, 400, /encoding_format/],
  [routes[2].path, { input: Array(1001).fill("a"), model: "voyage-3.5" }, 400, /batch size limit is 1000/],
  [routes[2].path, { input: "a", model: "voyage-law-2", output_dimension: 256 }, 400, /output_dimension/],
  [routes[2].path, { input: Array(100).fill("a ".repeat(2000)), model: "voyage-4-large" }, 400, /max allowed tokens/],
] as const;

for (const [path, body, status, text] of refusals) {
  test(`${path} rejects ${JSON.stringify(body).slice(0, 70)} with the provider's message`, async () => {
    const response = await post(path, body);
    assert.equal(response.status, status);
    assert.match(response.body.detail ?? response.body.error.message, text);
  });
}

test("Voyage reports only total_tokens", async () => {
  const { body } = await post("/voyage/v1/embeddings", {
    model: "voyage-3.5",
    input: ["a b", "c"],
    encoding_format: "base64",
  });
  assert.deepEqual(body.usage, { total_tokens: 3 });
  assert.equal(Buffer.from(body.data[0].embedding, "base64").length, 4 * 1024);
});

test("Gemini returns vectors in order without usage, and leaves a shortened vector unnormalized", async () => {
  const path = "/gemini/v1beta/models/gemini-embedding-001";
  const content = { parts: [{ text: "a" }] };
  const one = await post(`${path}:embedContent`, { content }, google);
  assert.deepEqual(Object.keys(one.body), ["embedding"]);
  assert.equal(one.body.embedding.values.length, 3072);
  assert.ok(Math.abs(lengthOf(one.body.embedding.values) - 1) < 1e-6);
  const request = { model: "models/gemini-embedding-001", content, outputDimensionality: 768 };
  const batch = await post(`${path}:batchEmbedContents`, { requests: [request, request] }, google);
  assert.deepEqual(Object.keys(batch.body), ["embeddings"]);
  const [{ values }] = batch.body.embeddings;
  assert.deepEqual(values, one.body.embedding.values.slice(0, 768));
  assert.ok(lengthOf(values) < 0.9);
  const many = await post(`${path}:batchEmbedContents`, { requests: Array(101).fill(request) }, google);
  assert.deepEqual([many.status, many.body.error.status], [400, "INVALID_ARGUMENT"]);
  const other = await post(`${path}:batchEmbedContents`, { requests: [{ ...request, model: "models/x" }] }, google);
  assert.equal(other.status, 400);
});

test("the log has the billed tokens, even if the provider reports none", async () => {
  simulator.log.clear();
  const content = { parts: [{ text: "one two three" }] };
  await post("/gemini/v1beta/models/text-embedding-004:embedContent", { content }, google);
  await post("/openai/v1/embeddings", { model: "text-embedding-3-small--sim-usage-lie-10", input: "one two" });
  const [first, second] = await logged(simulator, 2);
  assert.deepEqual([first?.units, first?.usage], [{ tokens: 3, inputs: 1 }, null]);
  assert.deepEqual(
    [second?.units?.["tokens"], second?.usage?.["total_tokens"], second?.true_usage?.["total_tokens"]],
    [2, 20, 2],
  );
});

test("shuffled embeddings have the index of their input", async () => {
  const body = { model: "text-embedding-3-small", input: ["a", "b"], dimensions: 4 };
  const plain = await post("/openai/v1/embeddings", body);
  const shuffled = await post("/openai/v1/embeddings", body, { "x-sim-embeddings-shuffle": "1" });
  assert.deepEqual(shuffled.body.data, plain.body.data.toReversed());
});
