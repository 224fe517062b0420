import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { startEmbedding } from "./support.ts";

const mebi = 1024 * 1024;
const inputs = 2_048;
const dimensions = 3_072;
const vectorBytes = inputs * dimensions * (16 / 3);

let upstream: TestUpstream;
let harness: OperationsHarness;

const catalog = (url: string): string => `
providers: { one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret } }
models:
  - { id: vectors, owned_by: acme, created: 2026-01-01, operations: [embeddings], output: [embedding],
      context_tokens: 8000, embedding: { dimensions: ${dimensions} }, price: { input_tokens: 1 },
      upstreams: [{ provider: one, batch: { items: ${inputs}, tokens: 300000 } }] }
`;
const body = { model: "vectors", input: Array.from({ length: inputs }, () => "a") };

/** A response in base64 to as many inputs; it is the same each time. */
function largest(): Buffer {
  const floats = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1) / 50);
  const vector = Buffer.from(floats.buffer).toString("base64");
  const item = (index: number): string => `{"object":"embedding","index":${index},"embedding":"${vector}"}`;
  const items = Array.from({ length: inputs }, (_, index) => item(index)).join(",");
  const usage = `{"prompt_tokens":${inputs},"total_tokens":${inputs}}`;
  return Buffer.from(`{"object":"list","model":"vectors","data":[${items}],"usage":${usage}}`);
}

before(async () => {
  upstream = await startUpstream();
  const bufferLimits = { totalBytes: 96 * mebi, ownerBytes: 64 * mebi };
  harness = await startEmbedding({ catalog: catalog(upstream.url), bufferLimits });
  const response = largest();
  upstream.script = (_, out) => void out.writeHead(200, { "content-type": "application/json" }).end(response);
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Reads a response without keeping it. */
async function read(fields: object, account = "acc_1"): Promise<{ status: number; bytes: number; start: string }> {
  const stream = harness.open("embeddings", JSON.stringify({ ...body, ...fields }), { account });
  const { status } = await stream.head;
  let bytes = 0;
  let start = "";
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (start.length < 200) start += chunk.toString("latin1");
  }
  return { status, bytes, start };
}

test("formats the largest response in short turns of the event loop", async () => {
  await read({});
  let response = { status: 0, bytes: 0, start: "" };
  await assertShortTurns(async () => {
    response = await read({});
  });
  assert.equal(response.status, 200);
  assert.match(response.start, /^\{"object":"list","data":\[\{"object":"embedding","index":0,"embedding":\[0\.0168/);
  assert.ok(response.bytes > 60 * mebi, `${response.bytes} bytes`);
});

test("holds the response's memory while it is sent, and releases it", async () => {
  const stream = harness.open("embeddings", JSON.stringify(body));
  assert.equal((await stream.head).status, 200);
  assert.ok(harness.buffers.held >= vectorBytes, `${harness.buffers.held} bytes are held`);
  stream.call.cancel("test");
  await waitFor(() => harness.buffers.held === 0, { what: "the memory to be released" });
});

test("serves twelve of the largest requests concurrently, or rejects them before an upstream call", async () => {
  upstream.received.length = 0;
  const accounts = ["a", "b", "c", "d", "e", "f"];
  const responses = await Promise.all([...accounts, ...accounts].map((account) => read({}, account)));
  const answered = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 503);
  assert.equal(answered.length + refused.length, 12);
  assert.ok(answered.length >= 2);
  for (const { start } of refused) assert.match(start, /"code":"service_unavailable"/);
  assert.equal(upstream.received.length, answered.length);
  assert.equal(harness.buffers.held, 0);
});
