import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { googleError } from "@uag/contract/errors/shapes";
import { generateContentResponse } from "@uag/contract/responses/generate-content";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { sendJson } from "./fixtures.ts";
import { startChat } from "./support.ts";

type Json = Record<string, unknown>;

let upstream: TestUpstream;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

const catalog = (url: string): string => `
providers:
  google: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret-google }
  claude: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret-claude }
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret-one }
models:
  - &m
    id: gemini-3-flash
    aliases: [flash]
    owned_by: o
    display_name: Flash
    created: 0
    operations: [chat.completions]
    context_tokens: 100000
    max_output_tokens: 1000
    image_tokens: 3000
    input: [text, image, audio, file]
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: google }]
  - { <<: *m, id: claude-sonnet-4-6, aliases: [], upstreams: [{ provider: claude }] }
  - { <<: *m, id: gpt, aliases: [], upstreams: [{ provider: one }] }
  - { <<: *m, id: drawing, aliases: [], operations: [images.generations], price: { images: 1 } }
`;

before(async () => {
  upstream = resources.use(await startUpstream(() => {}));
  harness = resources.use(await startChat({ catalog: catalog(upstream.url) }));
});
beforeEach(() => {
  harness.admission.reset();
  upstream.received.length = 0;
});
after(() => resources.disposeAsync());

const own = "gemini-3-flash";
const claude = "claude-sonnet-4-6";
const user = (...parts: Json[]): Json => ({ role: "user", parts });
const hi = { contents: [user({ text: "Hi" })] };
const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 10, totalTokenCount: 40 };
const cost = 30n * 1_000n + 10n * 2_000n;

const call = (model: string, body: unknown, method = "generateContent") =>
  harness.call(method === "generateContent" ? "generate_content" : "stream_generate_content", body, {
    target: `/v1beta/models/${model}:${method}`,
  });
const sent = (): { path: string; json: Json; text: string } => {
  const { path, json, body } = upstream.received.at(-1) ?? assert.fail("nothing was sent");
  return { path, json: json as Json, text: body.toString("utf8") };
};
const settled = () => harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");

/** Serves a response of Gemini's. */
function serveGemini(body: string): void {
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(body);
  };
}

const answered = JSON.stringify({
  candidates: [{ content: { parts: [{ text: "Hello." }], role: "model" }, finishReason: "STOP" }],
  usageMetadata,
});

test("bytes pass through in both directions where the model's provider has the format", async () => {
  const body =
    '{ "generation_config": {"temperature": 0.50},\n "contents": [{"parts":[{"text":"Hi"}]}], "labels": {} }';
  const reply = `${answered.slice(0, -1)} , "modelVersion" : "x" }`;
  serveGemini(reply);
  const { status, text } = await call(own, body);
  assert.deepEqual([status, text], [200, reply]);
  assert.deepEqual([sent().path, sent().text], ["/v1beta/models/gemini-3-flash:generateContent", body]);
  assert.equal(settled().costNanoUsd, cost);
});

const piece = (parts: Json[], more: Json = {}): Json => ({
  candidates: [{ content: { parts, role: "model" }, ...more }],
});
const pieces = [piece([{ text: "Hel" }]), piece([{ text: "lo." }], { finishReason: "STOP" })].map((one, index) =>
  JSON.stringify(index === 0 ? one : { ...one, usageMetadata }),
);
const events = pieces.map((data) => `data: ${data}\r\n\r\n`).join("");

function serveEvents(text: string): void {
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(text);
  };
}

test("a stream is passed on as events with alt=sse, and as one JSON array otherwise", async () => {
  serveEvents(events);
  const asEvents = await call(own, hi, "streamGenerateContent?alt=sse");
  assert.equal(asEvents.text, events);
  assert.match(asEvents.header("content-type") ?? "", /^text\/event-stream/);
  const asArray = await call(own, hi, "streamGenerateContent");
  assert.equal(asArray.header("content-type"), "application/json");
  assert.deepEqual(
    JSON.parse(asArray.text),
    pieces.map((data) => JSON.parse(data)),
  );
  for (const { path } of upstream.received) assert.match(path, /:streamGenerateContent\?alt=sse$/);
  assert.equal(settled().costNanoUsd, cost);
});

const uncut = (text: string): string => text.replace(/<cut: .*$/, "");

test("a stream without an end is reported as an error in Google's format, in either framing", async () => {
  serveEvents(`data: ${pieces[0]}\r\n\r\n`);
  const asEvents = await call(own, hi, "streamGenerateContent?alt=sse");
  const last =
    uncut(asEvents.text)
      .trim()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? "";
  assert.doesNotThrow(() => googleError.parse(JSON.parse(last.slice("data: ".length))), last);
  const { text } = await call(own, hi, "streamGenerateContent");
  const items = JSON.parse(uncut(text)) as Json[];
  assert.equal(items.length, 2);
  assert.doesNotThrow(() => googleError.parse(items[1]));
});

const anthropic = (content: Json[], stop = "end_turn") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: claude,
  content,
  stop_reason: stop,
  usage: { input_tokens: 30, output_tokens: 10 },
});
const thinking = { type: "thinking", thinking: "Where is it?", signature: "c2lnbmVkIGJ5IENsYXVkZQ==" };
const weather = { name: "weather", parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } } };
const tools = [{ functionDeclarations: [weather] }];

test("another provider's model gets the request translated, and its thinking and calls back", async () => {
  const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };
  upstream.script = (_, response) => sendJson(response, 200, anthropic([thinking, use], "tool_use"));
  const config = { generationConfig: { thinkingConfig: { thinkingBudget: 1_024 }, stopSequences: ["END"], topK: 3 } };
  const systemInstruction = { parts: [{ text: "Be brief." }] };
  const first = await call(claude, { ...hi, ...config, systemInstruction, tools });
  const request = sent().json;
  assert.deepEqual(request["system"], [{ type: "text", text: "Be brief." }]);
  assert.deepEqual((request["tools"] as Json[])[0]?.["input_schema"], {
    type: "object",
    properties: { city: { type: "string" } },
  });
  const response = generateContentResponse.parse(first.json());
  const content = response.candidates?.[0]?.content;
  const [part, ...others] = content?.parts ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual(part?.functionCall, { id: "toolu_1", name: "weather", args: { city: "Oslo" } });
  assert.ok((part?.thoughtSignature ?? "") !== "");
  assert.deepEqual(response.usageMetadata, usageMetadata);
  assert.equal(settled().costNanoUsd, cost);

  upstream.script = (_, reply) => sendJson(reply, 200, anthropic([{ type: "text", text: "Rain." }]));
  const result = user({ functionResponse: { name: "weather", response: { output: "rain" } } });
  const second = await call(claude, { ...config, tools, contents: [...hi.contents, content, result] });
  const [, turn, answer] = sent().json["messages"] as Json[];
  assert.deepEqual(turn?.["content"], [thinking, use]);
  assert.deepEqual(answer?.["content"], [
    { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "rain" }] },
  ]);
  assert.match(second.text, /"text":"Rain\."/);

  // The same conversation with a model that did not write the thinking.
  serveGemini(answered);
  assert.equal((await call(own, { tools, contents: [...hi.contents, content, result] })).status, 200);
  const [, moved] = sent().json["contents"] as Json[];
  const [movedPart] = (moved?.["parts"] ?? []) as Json[];
  assert.equal(movedPart?.["thoughtSignature"], "skip_thought_signature_validator");
});

test("Gemini's own thought signatures are passed back unchanged, and not to other providers", async () => {
  serveGemini(answered);
  const model = { role: "model", parts: [{ functionCall: { name: "weather", args: {} }, thoughtSignature: "c2ln" }] };
  const result = user({ functionResponse: { name: "weather", response: { result: { wet: true } } } });
  const body = JSON.stringify({ contents: [...hi.contents, model, result], tools });
  await call(own, body);
  assert.equal(sent().text, body);
  upstream.script = (_, response) => sendJson(response, 200, anthropic([{ type: "text", text: "Rain." }]));
  await call(claude, body);
  assert.doesNotMatch(sent().text, /c2ln/);
  assert.match(sent().text, /\{\\"wet\\":true\}/);
});

test("thoughts are shown only to a client that asks for them", async () => {
  upstream.script = (_, response) => sendJson(response, 200, anthropic([thinking, { type: "text", text: "Oslo." }]));
  for (const includeThoughts of [true, false]) {
    const generationConfig = { thinkingConfig: { includeThoughts, thinkingBudget: 2_000 }, maxOutputTokens: 900 };
    const { text } = await call(claude, { ...hi, generationConfig });
    assert.equal(text.includes('"Where is it?"'), includeThoughts, text);
  }
});

test("the output cap that the hold assumes is sent, whichever way the client spells its settings", async () => {
  serveGemini(answered);
  harness.admission.onAdmit = ({ holdNanoUsd }) => {
    const cause = { availableNanoUsd: 300_000n };
    if (holdNanoUsd > cause.availableNanoUsd) throw new GatewayError("insufficient_balance", undefined, { cause });
  };
  const body = { ...hi, generation_config: { temperature: 1 } };
  const { status, header, text } = await harness.call("generate_content", body, {
    target: `/v1/models/${own}:generateContent`,
    lowersOutputCap: true,
  });
  assert.equal(status, 200, text);
  const cap = Number(header("x-gateway-max-tokens"));
  assert.ok(cap > 0);
  assert.deepEqual(sent().json["generationConfig"], { temperature: 1, maxOutputTokens: cap });
  assert.equal(sent().json["generation_config"], undefined);
});

const refused: readonly [title: string, fields: Json, message: RegExp][] = [
  ["no contents", { contents: undefined }, /^contents: is required/],
  ["a temperature that is too high", { generationConfig: { temperature: 3 } }, /^generationConfig\.temperature: /],
  ["a name in both spellings", { generationConfig: {}, generation_config: {} }, /^generationConfig: is there twice/],
  ["a tool that Google runs", { tools: [{ googleSearch: {} }] }, /^tools\[0\]\.googleSearch: /],
  ["the same tool in snake case", { tools: [{ google_search: {} }] }, /^tools\[0\]\.googleSearch: /],
  ["cached content", { cachedContent: "cachedContents/1" }, /^cachedContent: /],
  [
    "images as output",
    { generationConfig: { responseModalities: ["IMAGE"] } },
    /^generationConfig\.responseModalities/,
  ],
  ["another tier", { service_tier: "flex" }, /^serviceTier: /],
  [
    "a file of the provider's account",
    { contents: [user({ fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x" } })] },
    /^contents\[0\]\.parts\[0\]\.fileData\.fileUri: /,
  ],
  [
    "a file in a private network",
    { contents: [user({ fileData: { mimeType: "image/png", fileUri: "http://10.0.0.1/x.png" } })] },
    /^fileData\.fileUri: /,
  ],
];

for (const [title, fields, message] of refused)
  test(`rejects a request with ${title} before anything is held`, async () => {
    const { status, json } = await call(own, { ...hi, ...fields });
    const { error } = googleError.parse(json());
    assert.deepEqual([status, error.code, error.status], [400, 400, "INVALID_ARGUMENT"]);
    assert.match(error.message, message);
    assert.equal(harness.admission.booked.length, 0);
  });

test("a request for a model that does not generate text, or does not exist, names the reason", async () => {
  const mismatch = googleError.parse((await call("drawing", hi)).json()).error;
  assert.match(mismatch.message, /not available on this path/);
  const missing = googleError.parse((await call("nothing", hi)).json()).error;
  assert.equal(missing.status, "NOT_FOUND");
});

const holdOf = async (body: Json): Promise<bigint> => {
  serveGemini(answered);
  harness.admission.reset();
  const { status, text } = await call(own, body);
  assert.equal(status, 200, text);
  return harness.admission.booked[0]?.request.holdNanoUsd ?? assert.fail();
};

test("a hold covers a part by its kind, and an unknown field or part by the whole context", async () => {
  const context = 100_000n * 1_000n;
  const png = "iVBORw0KGgo".padEnd(20_000, "A");
  const image = await holdOf({ contents: [user({ inlineData: { mimeType: "image/png", data: png } })] });
  assert.ok(image > 3_000n * 1_000n && image < 10_000n * 1_000n, String(image));
  for (const contents of [
    [user({ inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } })],
    [user({ fileData: { mimeType: "video/mp4", fileUri: "https://www.youtube.com/watch?v=1" } })],
    [user({ hologram: { id: 1 } })],
    [user({ functionResponse: { name: "f", response: {}, parts: [{ hologram: 1 }] } })],
  ])
    assert.ok((await holdOf({ contents })) >= context, JSON.stringify(contents));
  assert.ok((await holdOf({ ...hi, ofTomorrow: 1 })) >= context);
  assert.ok((await holdOf({ ...hi, generationConfig: { ofTomorrow: 1 } })) >= context);
  assert.ok((await holdOf({ ...hi, safetySettings: [{ category: "a", threshold: "b" }] })) < context / 10n);
});

test("a hold covers every candidate", async () => {
  const one = await holdOf({ ...hi, generationConfig: { maxOutputTokens: 500 } });
  const four = await holdOf({ ...hi, generationConfig: { maxOutputTokens: 500, candidateCount: 4 } });
  assert.ok(four - one >= 3n * 500n * 2_000n, `${four} ${one}`);
});

test("tokens are counted by Gemini where it serves the model, and estimated otherwise, without a bill", async () => {
  upstream.script = (_, response) => sendJson(response, 200, { totalTokens: 7 });
  const count = (model: string, body: object) =>
    harness.call("generate_content.count_tokens", body, { target: `/v1beta/models/${model}:countTokens` });
  assert.deepEqual((await count(own, hi)).json(), { totalTokens: 7 });
  assert.equal(sent().path, "/v1beta/models/gemini-3-flash:countTokens");
  assert.deepEqual(sent().json, { generateContentRequest: { ...hi, model: "models/gemini-3-flash" } });
  const whole = {
    generate_content_request: { ...hi, model: "x", system_instruction: { parts: [{ text: "Be brief." }] } },
  };
  assert.deepEqual((await count(own, whole)).json(), { totalTokens: 7 });
  assert.equal((sent().json["generateContentRequest"] as Json)["model"], "models/gemini-3-flash");
  upstream.received.length = 0;
  const estimated = Number((await count("gpt", whole)).json()["totalTokens"]);
  assert.ok(estimated > 3 && estimated < 30, String(estimated));
  assert.equal(upstream.received.length, 0);
  const { error } = googleError.parse((await count(own, { contents: [] })).json());
  assert.match(error.message, /^contents: /);
  assert.equal(harness.admission.booked.length, 0);
});

test("the key's models that generate text are listed in pages, by each of their names", async () => {
  const page = async (query: string) =>
    (await harness.call("gemini_models.list", undefined, { target: `/v1beta/models${query}` })).json();
  const names = ({ models }: Json) => (models as Json[]).map(({ name }) => name);
  const first = await page("?pageSize=2");
  assert.deepEqual(names(first), ["models/gemini-3-flash", "models/flash"]);
  const second = await page(`?pageSize=2&pageToken=${encodeURIComponent(String(first["nextPageToken"]))}`);
  assert.deepEqual(names(second), ["models/claude-sonnet-4-6", "models/gpt"]);
  assert.equal(second["nextPageToken"], undefined);
  const only = await harness.call("gemini_models.list", undefined, { target: "/v1beta/models", models: ["gpt"] });
  assert.deepEqual(names(only.json()), ["models/gpt"]);
});

test("a model is shown if it generates text and the key may use it", async () => {
  const show = (id: string, models: string[] = []) =>
    harness.call("gemini_models.get", undefined, { target: `/v1beta/models/${id}`, models });
  assert.deepEqual((await show("flash")).json(), {
    name: "models/flash",
    version: "001",
    displayName: "Flash",
    inputTokenLimit: 100_000,
    outputTokenLimit: 1_000,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  });
  for (const response of [await show("drawing"), await show("gpt", ["flash"]), await show("nothing")]) {
    assert.equal(response.status, 404);
    assert.equal(googleError.parse(response.json()).error.status, "NOT_FOUND");
  }
});
