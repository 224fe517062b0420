import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { googleError } from "@uag/contract/errors/shapes";
import { batchEmbedContentsResponse, embedContentResponse } from "@uag/contract/responses/embed-content";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { startEmbedding } from "./support.ts";

type Json = Record<string, unknown>;

let upstream: TestUpstream;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

const catalog = (url: string): string => `
providers:
  google: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret-google }
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret-one }
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret-dash }
  voyage: { protocol: voyage, base_url: "${url}", api_key: sk-upstream-secret-voyage }
models:
  - &m
    id: gemini
    aliases: [g]
    owned_by: o
    created: 0
    operations: [embeddings]
    output: [embedding]
    context_tokens: 2000
    embedding: { dimensions: 4, sizes: any }
    price: { input_tokens: 1 }
    upstreams: [{ provider: google, model: theirs, batch: { items: 100, tokens: 20000 } }]
  - { <<: *m, id: openai, aliases: [], upstreams: [{ provider: openai, batch: { items: 2, tokens: 20000 } }] }
  - { <<: *m, id: dash, aliases: [], upstreams: [{ provider: dash, batch: { items: 10, tokens: 20000 } }] }
  - { <<: *m, id: voyage, aliases: [], upstreams: [{ provider: voyage, batch: { items: 10, tokens: 20000 } }] }
  - { <<: *m, id: fixed, aliases: [], embedding: { dimensions: 4 } }
  - { <<: *m, id: large, aliases: [], embedding: { dimensions: 3072 },
      upstreams: [{ provider: openai, batch: { items: 2048, tokens: 300000 } }] }
`;

before(async () => {
  upstream = resources.use(await startUpstream(() => {}));
  harness = resources.use(await startEmbedding({ catalog: catalog(upstream.url) }));
});
beforeEach(() => {
  harness.admission.reset();
  upstream.received.length = 0;
});
after(() => resources.disposeAsync());

const content = (...texts: string[]): Json => ({ content: { parts: texts.map((text) => ({ text })) } });
const embed = (model: string, body: unknown) =>
  harness.call("embed_content", body, { target: `/v1beta/models/${model}:embedContent` });
const embedAll = (model: string, ...requests: Json[]) =>
  harness.call("batch_embed_contents", { requests }, { target: `/v1/models/${model}:batchEmbedContents` });
const serve = (body: string): void => {
  upstream.script = (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(body);
};
const settlement = () => harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");

const ownItem = '{ "values" : [0.50, 1e-1,2, 3], "shape":[4] }';
const ownUsage = '{"promptTokenCount": 7,"promptTokenDetails":[{"modality":"TEXT","tokenCount":7}]}';

test("a vector's bytes and usage reach the client as Gemini sent them", async () => {
  serve(`{"embeddings":[ ${ownItem} ],"usageMetadata":${ownUsage}}`);
  const { status, text } = await embed("gemini", content("a text"));
  assert.equal(status, 200);
  assert.equal(text, `{"embedding":${ownItem},"usageMetadata":${ownUsage}}`);
  embedContentResponse.parse(JSON.parse(text));
  assert.equal(settlement().costNanoUsd, 7_000n);
});

test("a batch's bytes and usage reach the client as Gemini sent them", async () => {
  const list = `[ ${ownItem},\n${ownItem} ]`;
  serve(`{"embeddings":${list},"usageMetadata":${ownUsage}}`);
  const { text } = await embedAll("gemini", content("a"), content("b"));
  assert.equal(text, `{"embeddings":${list},"usageMetadata":${ownUsage}}`);
  batchEmbedContentsResponse.parse(JSON.parse(text));
});

test("Gemini receives the contents, task type and title as sent, and always a size", async () => {
  serve(`{"embeddings":[${ownItem}]}`);
  const sent = {
    content: { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    task_type: "RETRIEVAL_DOCUMENT",
    title: "T",
  };
  assert.equal((await embed("gemini", sent)).status, 200);
  assert.equal(upstream.received[0]?.path, "/v1beta/models/theirs:batchEmbedContents");
  const { content, title } = sent;
  const expected = { content, taskType: "RETRIEVAL_DOCUMENT", title, model: "models/theirs", outputDimensionality: 4 };
  assert.deepEqual(upstream.received[0]?.json["requests"], [expected]);
});

test("a shorter vector of Gemini's is not normalized", async () => {
  serve('{"embeddings":[{"values":[0.5,0.5]}]}');
  const { text } = await embed("gemini", { ...content("a"), outputDimensionality: 2 });
  assert.deepEqual(JSON.parse(text).embedding.values, [0.5, 0.5]);
});

const openAiList = (...vectors: unknown[]): string =>
  JSON.stringify({
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 5, total_tokens: 5 },
  });
const vector = [0.5, 0.5, 0.5, 0.5];
const encoded = Buffer.from(Float32Array.from(vector).buffer).toString("base64");

for (const [model, sentVector] of [
  ["openai", encoded],
  ["voyage", encoded],
  ["dash", vector],
] as const)
  test(`a model of another provider returns vectors in Gemini's format (${model})`, async () => {
    serve(openAiList(sentVector, sentVector));
    const { status, text } = await embedAll(model, content("a"), content("b"));
    assert.equal(status, 200);
    const values = "[0.5,0.5,0.5,0.5]";
    assert.equal(
      text,
      `{"embeddings":[{"values":${values}},{"values":${values}}],"usageMetadata":{"promptTokenCount":5}}`,
    );
    serve(openAiList(sentVector));
    const one = await embed(model, content("a"));
    assert.equal(one.text, `{"embedding":{"values":${values}},"usageMetadata":{"promptTokenCount":5}}`);
  });

test("a batch is split into the calls that the provider accepts, in order, and billed as one", async () => {
  upstream.script = ({ json }, response) => {
    const inputs = json["input"] as string[];
    const body = openAiList(...inputs.map((input) => [Number(input), 0, 0, 0]));
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
  const { text } = await embedAll("openai", ...["1", "2", "3", "4", "5"].map((each) => content(each)));
  const { embeddings, usageMetadata } = JSON.parse(text) as { embeddings: { values: number[] }[]; usageMetadata: Json };
  assert.deepEqual(
    embeddings.map(({ values }) => values[0]),
    [1, 2, 3, 4, 5],
  );
  assert.equal(upstream.received.length, 3);
  assert.equal(usageMetadata["promptTokenCount"], 15);
  assert.equal(settlement().costNanoUsd, 15_000n);
});

test("another provider receives parts as lines, the title first, the size, and the purpose that it distinguishes", async () => {
  serve(openAiList([1, 0]));
  const fields = { taskType: "RETRIEVAL_DOCUMENT", title: "T", outputDimensionality: 2 };
  assert.equal((await embed("voyage", { ...content("a", "b"), ...fields })).status, 200);
  const { input, input_type, output_dimension } = upstream.received[0]?.json ?? {};
  assert.deepEqual([input, input_type, output_dimension], [["T\na\nb"], "document", 2]);
  for (const [taskType, inputType] of [
    ["QUESTION_ANSWERING", "query"],
    ["CLUSTERING", undefined],
  ]) {
    serve(openAiList(encoded));
    assert.equal((await embed("voyage", { ...content("a"), taskType })).status, 200);
    assert.equal(upstream.received.at(-1)?.json["input_type"], inputType);
  }
});

test("without usage from Gemini, the tokens are counted here and the bill is an estimate", async () => {
  serve(`{"embeddings":[${ownItem}]}`);
  const { usageMetadata } = JSON.parse((await embed("gemini", content("two words"))).text) as { usageMetadata: Json };
  assert.equal(usageMetadata["promptTokenCount"], 2);
  assert.equal(settlement().costNanoUsd, 2_000n);
});

const rejected: [what: string, model: string, request: Json, field: string][] = [
  ["no content", "gemini", {}, "content"],
  ["no parts", "gemini", { content: { parts: [] } }, "content.parts"],
  ["no text", "gemini", content(""), "content.parts"],
  [
    "an image",
    "gemini",
    { content: { parts: [{ text: "a", inlineData: { mimeType: "image/png", data: "" } }] } },
    "content.parts[0].inlineData",
  ],
  ["an unknown task type", "gemini", { ...content("a"), taskType: "MAGIC" }, "taskType"],
  ["a title without documents", "openai", { ...content("a"), title: "T" }, "title"],
  ["a size above the model's", "voyage", { ...content("a"), outputDimensionality: 5 }, "outputDimensionality"],
  ["a size of a fixed model", "fixed", { ...content("a"), outputDimensionality: 2 }, "outputDimensionality"],
  ["another model than the path's", "gemini", { ...content("a"), model: "models/openai" }, "model"],
];
for (const [what, model, request, field] of rejected)
  test(`${what}: 400 that names the field, alone and in a batch, before a call`, async () => {
    for (const [response, name] of [
      [await embed(model, request), field],
      [await embedAll(model, request), `requests[0].${field}`],
    ] as const) {
      const { error } = googleError.parse(response.json());
      assert.deepEqual([response.status, error.code, error.status], [400, 400, "INVALID_ARGUMENT"]);
      assert.ok(error.message.includes(name), error.message);
    }
    assert.equal(upstream.received.length, 0);
  });

test("rejects a batch with two task types or two sizes with a 400 that names the request", async () => {
  for (const name of ["taskType", "outputDimensionality"]) {
    const value = name === "taskType" ? "CLUSTERING" : 2;
    const { status, text } = await embedAll("gemini", content("a"), { ...content("b"), [name]: value });
    assert.equal(status, 400);
    assert.ok(text.includes(`requests[1].${name}: must be the same in every request of a batch.`), text);
  }
});

test("the model may be named in the body as in the path, by an alias too", async () => {
  serve(`{"embeddings":[${ownItem}]}`);
  for (const model of ["models/g", "g"])
    assert.equal((await embedAll("g", { ...content("a"), model })).status, 200, model);
});

test("formats the largest batch in short turns of the event loop", async () => {
  const floats = Float32Array.from({ length: 3_072 }, (_, index) => Math.sin(index + 1) / 50);
  serve(openAiList(...Array.from({ length: 2_048 }, () => Buffer.from(floats.buffer).toString("base64"))));
  const body = JSON.stringify({ requests: Array.from({ length: 2_048 }, () => content("a")) });
  const read = async (): Promise<number> => {
    const stream = harness.open("batch_embed_contents", body, { target: "/v1beta/models/large:batchEmbedContents" });
    assert.equal((await stream.head).status, 200);
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.length;
    return bytes;
  };
  await read();
  let bytes = 0;
  await assertShortTurns(async () => {
    bytes = await read();
  });
  assert.ok(bytes > 60 * 1024 * 1024, `${bytes} bytes`);
});
