import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Simulator, startSimulator } from "../src/service.ts";
import { dataOf, logged, send } from "./support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const key = { "x-goog-api-key": "good" };
const user = (text: string) => [{ role: "user", parts: [{ text }] }];
const declared = [
  {
    functionDeclarations: [
      { name: "get_weather", parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } } },
    ],
  },
];

function call(model: string, body: unknown, method = "generateContent", headers: Record<string, string> = key) {
  return send(simulator, `/gemini/v1beta/models/${model}:${method}`, body, headers);
}

async function respond(model: string, body: unknown) {
  const { status, text } = await call(model, body);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

test("the complete response, the events and the JSON array have the same content and usage", async () => {
  const body = { contents: user("say: Grüße 😀 und mehr Worte") };
  const whole = await respond("gemini-2.0-flash", body);
  assert.equal(whole.candidates[0].content.parts[0].text, "Grüße 😀 und mehr Worte");
  assert.equal(whole.candidates[0].finishReason, "STOP");
  const events = dataOf((await call("gemini-2.0-flash", body, "streamGenerateContent?alt=sse")).text).map((data) =>
    JSON.parse(data),
  );
  const array = await call("gemini-2.0-flash", body, "streamGenerateContent");
  assert.match(array.headers.get("content-type") ?? "", /^application\/json/);
  for (const parts of [events, JSON.parse(array.text)]) {
    const text = parts.map((part: typeof whole) => part.candidates[0].content.parts[0].text).join("");
    assert.equal(text, whole.candidates[0].content.parts[0].text);
    assert.deepEqual(parts.at(-1).usageMetadata, whole.usageMetadata);
    assert.ok(
      parts.every((part: typeof whole) => part.usageMetadata.promptTokenCount === whole.usageMetadata.promptTokenCount),
    );
  }
  assert.ok(!array.text.includes("[DONE]"));
});

test("counts thoughts in addition to the response, and returns them as parts on request", async () => {
  const contents = user("think 10 words\nsay: x");
  const hidden = await respond("gemini-2.5-flash", { contents });
  assert.deepEqual([hidden.usageMetadata.thoughtsTokenCount, hidden.usageMetadata.candidatesTokenCount], [10, 1]);
  assert.equal(hidden.usageMetadata.totalTokenCount, hidden.usageMetadata.promptTokenCount + 11);
  const shown = await respond("gemini-2.5-flash", {
    contents,
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
  assert.equal(shown.candidates[0].content.parts[0].thought, true);
  const off = await respond("gemini-2.5-flash", {
    contents,
    generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
  });
  assert.equal(off.usageMetadata.thoughtsTokenCount, undefined);
  const eaten = await respond("gemini-2.5-pro", { contents: user("x"), generationConfig: { maxOutputTokens: 20 } });
  assert.deepEqual([eaten.candidates[0].finishReason, eaten.candidates[0].content], ["MAX_TOKENS", { role: "model" }]);
});

test("sends function calls whole and signed, and requires their signature on models that check it", async () => {
  const contents = user('call get_weather {"city":"Oslo"}');
  const first = await respond("gemini-3-pro-preview", { contents, tools: declared });
  const [part] = first.candidates[0].content.parts;
  assert.deepEqual([part.functionCall.name, part.functionCall.args], ["get_weather", { city: "Oslo" }]);
  assert.equal(first.candidates[0].finishReason, "STOP");
  const result = {
    role: "user",
    parts: [{ functionResponse: { name: "get_weather", response: { output: "sunny" } } }],
  };
  const reply = (signed: object) =>
    call("gemini-3-pro-preview", {
      contents: [...contents, { role: "model", parts: [signed] }, result],
      tools: declared,
    });
  const good = await reply(part);
  assert.match(JSON.parse(good.text).candidates[0].content.parts[0].text, /sunny/);
  const { thoughtSignature, ...bare } = part;
  assert.ok(thoughtSignature);
  assert.match((await reply(bare)).text, /missing a thought_signature/);
  assert.match((await reply({ ...part, thoughtSignature: "Zm9yZ2Vk" })).text, /Corrupted thought signature/);
  assert.equal((await reply({ ...bare, thoughtSignature: "skip_thought_signature_validator" })).status, 200);
});

test("accepts snake and camel case, and the key in the header or the query", async () => {
  const body = {
    contents: user("x"),
    system_instruction: { parts: [{ text: "y" }] },
    generation_config: { max_output_tokens: 1 },
  };
  const read = await call("gemini-2.0-flash", body, "generateContent?key=good", { authorization: "" });
  assert.equal(JSON.parse(read.text).usageMetadata.candidatesTokenCount, 1);
});

test("responds to a schema with a matching instance, counts n candidates and measures inline images", async () => {
  const responseSchema = {
    type: "OBJECT",
    properties: { n: { type: "INTEGER", minimum: 7, maximum: 7 } },
    required: ["n"],
  };
  const fitted = await respond("gemini-2.5-flash", {
    contents: user("x"),
    generationConfig: { responseMimeType: "application/json", responseSchema },
  });
  assert.deepEqual(JSON.parse(fitted.candidates[0].content.parts[0].text), { n: 7 });
  const many = await respond("gemini-2.0-flash", {
    contents: user("repeat 5 words"),
    generationConfig: { candidateCount: 2 },
  });
  assert.deepEqual([many.candidates.length, many.usageMetadata.candidatesTokenCount], [2, 10]);
  const gif = Buffer.alloc(40);
  gif.write("GIF89a", "latin1");
  gif.writeUInt16LE(1000, 6);
  gif.writeUInt16LE(700, 8);
  const parts = [{ text: "x" }, { inlineData: { mimeType: "image/gif", data: gif.toString("base64") } }];
  const counted = JSON.parse((await call("gemini-2.0-flash", { contents: [{ parts }] }, "countTokens")).text);
  assert.deepEqual(counted.promptTokensDetails, [
    { modality: "TEXT", tokenCount: 2 },
    { modality: "IMAGE", tokenCount: 516 },
  ]);
});

test("a blocked prompt is a 200 without candidates, and a filtered response ends with SAFETY", async () => {
  const blocked = await respond("gemini-2.5-flash", { contents: user("blocked") });
  assert.equal(blocked.candidates, undefined);
  assert.equal(blocked.promptFeedback.blockReason, "PROHIBITED_CONTENT");
  const filtered = await respond("gemini-2.5-flash", { contents: user("filtered") });
  assert.equal(filtered.candidates[0].finishReason, "SAFETY");
});

test("a fault chooses the finish reason, with a finish message", async () => {
  const contents = user("say: x");
  for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
    const { text } = await call("gemini-2.5-flash--sim-end-reason-MALFORMED_FUNCTION_CALL", { contents }, method);
    assert.match(text, /"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"[^"]+"/);
    assert.match(text, /"promptTokenCount"/);
  }
});

test("signs texts of models that require signatures, and rejects a forged signature", async () => {
  const model = "gemini-3-flash-preview";
  const whole = await respond(model, { contents: user("say: x") });
  const [{ thoughtSignature }] = whole.candidates[0].content.parts;
  const { text } = await call(model, { contents: user("say: x") }, "streamGenerateContent?alt=sse");
  const last = JSON.parse(dataOf(text).at(-1) ?? "").candidates[0].content.parts;
  assert.deepEqual(last, [{ text: "", thoughtSignature }]);
  const next = (signature: string) => ({
    contents: [
      ...user("Hi"),
      { role: "model", parts: [{ text: "x", thoughtSignature: signature }] },
      ...user("say: y"),
    ],
  });
  assert.equal((await call(model, next(thoughtSignature))).status, 200);
  assert.match((await call(model, next("Zm9yZ2Vk"))).text, /Corrupted thought signature/);
});

test("names in snake case are accepted in a response schema", async () => {
  const responseSchema = {
    type: "OBJECT",
    properties: { tags: { type: "ARRAY", items: { type: "STRING" }, max_items: 2 } },
    property_ordering: ["tags"],
  };
  const config = { response_mime_type: "application/json", response_schema: responseSchema };
  const { status, text } = await call("gemini-2.5-flash", { contents: user("x"), generation_config: config });
  assert.equal(status, 200, text);
});

const x = user("x");
const rejected: readonly { what: string; body: object; model?: string; message: RegExp }[] = [
  { what: "no contents", body: {}, message: /contents is not specified/ },
  { what: "an unknown field", body: { contents: x, foo: 1 }, message: /Unknown name "foo": Cannot find field/ },
  {
    what: "an unknown setting",
    body: { contents: x, generationConfig: { foo: 1 } },
    message: /Unknown name "foo" at 'generation_config'/,
  },
  {
    what: "an unknown role",
    body: { contents: [{ role: "assistant", parts: [{ text: "x" }] }] },
    message: /valid role: user, model/,
  },
  { what: "no parts", body: { contents: [{ role: "user", parts: [] }] }, message: /parts must not be empty/ },
  {
    what: "a part without data",
    body: { contents: [{ role: "user", parts: [{ thought: true }] }] },
    message: /required oneof field 'data'/,
  },
  {
    what: "a JSON Schema keyword",
    body: {
      contents: x,
      tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "object", additionalProperties: false } }] }],
    },
    message: /Unknown name "additionalProperties" at 'tools\[0\].function_declarations\[0\].parameters'/,
  },
  {
    what: "a list of types",
    body: {
      contents: x,
      tools: [
        {
          functionDeclarations: [
            { name: "f", parameters: { type: "object", properties: { a: { type: ["string", "null"] } } } },
          ],
        },
      ],
    },
    message: /Proto field is not repeating/,
  },
  {
    what: "a call without a response",
    body: { contents: [...x, { role: "model", parts: [{ functionCall: { name: "f" } }] }, ...x] },
    message: /number of function response parts/,
  },
  {
    what: "a temperature of 3",
    body: { contents: x, generationConfig: { temperature: 3 } },
    message: /generation_config.temperature: must be less than or equal to 2/,
  },
  {
    what: "six stop sequences",
    body: { contents: x, generationConfig: { stopSequences: ["a", "b", "c", "d", "e", "f"] } },
    message: /stop_sequences/,
  },
  {
    what: "a maxOutputTokens above the limit",
    body: { contents: x, generationConfig: { maxOutputTokens: 99_999 } },
    message: /maxOutputTokens value of 99999/,
  },
  {
    what: "disabled thinking on a model that always thinks",
    model: "gemini-2.5-pro",
    body: { contents: x, generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
    message: /only works in thinking mode/,
  },
  {
    what: "a thinking level on a model with budgets",
    body: { contents: x, generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    message: /Thinking level is not supported/,
  },
  {
    what: "tools with a JSON response on an older model",
    body: { contents: x, tools: declared, generationConfig: { responseMimeType: "application/json" } },
    message: /response mime type: 'application\/json' is unsupported/,
  },
  {
    what: "broken inline data",
    body: { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "@@" } }] }] },
    message: /Base64 decoding failed/,
  },
];

for (const { what, body, model, message } of rejected) {
  test(`rejects ${what} with a 400 INVALID_ARGUMENT in Google's format`, async () => {
    const { status, text } = await call(model ?? "gemini-2.5-flash", body);
    const { error } = JSON.parse(text);
    assert.deepEqual([status, error.code, error.status], [400, 400, "INVALID_ARGUMENT"]);
    assert.match(error.message, message);
  });
}

test("errors of keys, models and quotas have Google's messages", async () => {
  const body = { contents: x };
  const wrong = await call("gemini-2.5-flash", body, "generateContent", { "x-goog-api-key": "bad-key" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.text).error.details[0].reason], [400, "API_KEY_INVALID"]);
  const none = await call("gemini-2.5-flash", body, "generateContent", {});
  assert.deepEqual([none.status, JSON.parse(none.text).error.status], [403, "PERMISSION_DENIED"]);
  const unknown = await call("gemini-9", body);
  assert.deepEqual([unknown.status, JSON.parse(unknown.text).error.status], [404, "NOT_FOUND"]);
  const limited = await call("gemini-2.5-flash--sim-status-429--sim-retry-after-7", body);
  const { details } = JSON.parse(limited.text).error;
  assert.equal(details.at(-1).retryDelay, "7s");
  const quota = await call("gemini-2.5-flash--sim-status-429--sim-quota", body);
  assert.match(quota.text, /PerDay/);
});

test("faults apply to both forms of stream, and the log has the usage so far", async () => {
  simulator.log.clear();
  const model = "gemini-2.0-flash--sim-cut-2";
  const cut = await call(model, { contents: user("repeat 40 words") }, "streamGenerateContent");
  assert.throws(() => JSON.parse(cut.text));
  const [entry] = await logged(simulator, 1);
  assert.deepEqual(
    [entry?.model, entry?.outcome, entry?.delivered.content_tokens, entry?.usage?.["candidatesTokenCount"]],
    ["gemini-2.0-flash", "cut", 8, 8],
  );
  const failing = await call(
    "gemini-2.0-flash--sim-error-event-2--sim-error-status-503",
    { contents: x },
    "streamGenerateContent?alt=sse",
  );
  assert.equal(JSON.parse(dataOf(failing.text)[1] ?? "").error.status, "UNAVAILABLE");
});

test("lists models in pages with their limits", async () => {
  const page = async (token: string) =>
    JSON.parse((await send(simulator, `/gemini/v1beta/models?pageSize=4${token}`, undefined, key)).text);
  const first = await page("");
  assert.equal(first.models.length, 4);
  const second = await page(`&pageToken=${first.nextPageToken}`);
  assert.notEqual(second.models[0].name, first.models[0].name);
  const one = await send(simulator, "/gemini/v1beta/models/gemini-2.5-pro", undefined, key);
  assert.equal(JSON.parse(one.text).outputTokenLimit, 65_536);
});
