import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../src/service.ts";
import { dataOf, logged, send } from "./support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const qwenPath = "/dashscope/compatible-mode/v1/chat/completions";
const user = (content: unknown) => [{ role: "user", content }];
const streamed = { stream: true, stream_options: { include_usage: true } };

function client(base: string): OpenAI {
  return new OpenAI({ apiKey: "good", baseURL: simulator.url + base, maxRetries: 0 });
}

test("qwen streams its reasoning separately from the content when thinking is enabled", async () => {
  const body = { model: "qwen-plus", messages: user("think 5 words\nsay: x"), enable_thinking: true, ...streamed };
  const data = dataOf((await send(simulator, qwenPath, body)).text)
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const reasoning = data.map((chunk) => chunk.choices[0]?.delta.reasoning_content ?? "").join("");
  assert.equal(reasoning.split(" ").length, 5);
  const { usage } = data.at(-1);
  assert.deepEqual([usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens], [6, 5]);
  const plain = await client("/dashscope/compatible-mode/v1").chat.completions.create({
    model: "qwen-plus",
    messages: [{ role: "user", content: "say: x" }],
  });
  assert.equal(plain.usage?.completion_tokens, 1);
});

test("an omni model streams 24 kHz PCM in base64 in addition to its text", async () => {
  const body = {
    model: "qwen3-omni-flash",
    messages: user("repeat 4 words"),
    modalities: ["text", "audio"],
    audio: { voice: "Cherry", format: "wav" },
  };
  const refused = await send(simulator, qwenPath, body);
  assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [400, "invalid_parameter_error"]);
  assert.match(refused.text, /only support stream mode/);
  const data = dataOf((await send(simulator, qwenPath, { ...body, ...streamed })).text)
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const sound = data.map((chunk) => chunk.choices[0]?.delta.audio?.data ?? "").filter(Boolean);
  const bytes = Buffer.concat(sound.map((part) => Buffer.from(part, "base64")));
  assert.equal(bytes.length, 4 * 0.24 * 24_000 * 2);
  const { usage } = data.at(-1);
  assert.deepEqual(
    [usage.completion_tokens_details.text_tokens, usage.completion_tokens_details.audio_tokens],
    [4, 12],
  );
});

test("a cap bounds OpenAI's text and audio, Qwen-Omni's text only, and a model's limit bounds both", async () => {
  const spoken = { messages: user("repeat 9000 words"), modalities: ["text", "audio"], ...streamed };
  const generated = async (path: string, body: object): Promise<number[]> => {
    const data = dataOf((await send(simulator, path, { ...spoken, ...body })).text);
    const { completion_tokens: total, completion_tokens_details: details } = JSON.parse(data.at(-2) ?? "").usage;
    return [total - details.audio_tokens, details.audio_tokens];
  };
  const gpt = { model: "gpt-audio", audio: { voice: "alloy", format: "pcm16" }, max_completion_tokens: 64 };
  const qwen = { model: "qwen3-omni-flash", audio: { voice: "Cherry", format: "wav" } };
  assert.deepEqual(await generated("/openai/v1/chat/completions", gpt), [16, 48]);
  assert.deepEqual(await generated(qwenPath, { ...qwen, max_tokens: 64 }), [64, 192]);
  assert.deepEqual(await generated(qwenPath, qwen), [4_096, 12_288]);
});

test("accepts video, audio URLs and images for multimodal models", async () => {
  const parts = [
    { type: "video_url", video_url: { url: "https://example.com/v.mp4" } },
    { type: "input_audio", input_audio: { data: "https://example.com/a.mp3", format: "mp3" } },
    { type: "text", text: "say: x" },
  ];
  const response = await send(simulator, qwenPath, { model: "qwen3-omni-flash", messages: user(parts), ...streamed });
  const usage = JSON.parse(dataOf(response.text).at(-2) ?? "").usage;
  assert.deepEqual([usage.prompt_tokens_details.video_tokens, usage.prompt_tokens_details.audio_tokens], [800, 100]);
  const blind = await send(simulator, qwenPath, { model: "qwen-plus", messages: user(parts) });
  assert.match(blind.text, /does not support video_url input/);
});

const x = user("x");
const qwenRejected: readonly { what: string; body: object; status?: number; code?: string | null; message: RegExp }[] =
  [
    { what: "no model", body: { messages: x }, code: null, message: /you must provide a model parameter/ },
    {
      what: "an unknown model",
      body: { model: "qwen-9", messages: x },
      status: 404,
      code: "model_not_found",
      message: /does not exist/,
    },
    { what: "empty messages", body: { model: "qwen-plus", messages: [] }, message: /^\[\] is too short - 'messages'/ },
    {
      what: "an unknown role",
      body: { model: "qwen-plus", messages: [{ role: "robot", content: "" }] },
      message: /^'robot' is not one of .* - 'messages.0.role'/,
    },
    {
      what: "the developer role",
      body: { model: "qwen-plus", messages: [{ role: "developer", content: "x" }, ...x] },
      message: /^'developer' is not one of/,
    },
    {
      what: "a required tool",
      body: {
        model: "qwen-plus",
        messages: x,
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: "required",
      },
      message: /tool_choice/,
    },
    {
      what: "thinking without a stream on an open model",
      body: { model: "qwen3-32b", messages: x },
      message: /enable_thinking must be set to false for non-streaming calls/,
    },
    {
      what: "thinking on a model that cannot",
      body: { model: "qwen-max", messages: x, enable_thinking: true },
      message: /does not support enable_thinking/,
    },
    { what: "a temperature of 2", body: { model: "qwen-plus", messages: x, temperature: 2 }, message: /temperature/ },
    { what: "a huge seed", body: { model: "qwen-plus", messages: x, seed: 2_147_483_648 }, message: /seed/ },
    {
      what: "a max_tokens above the limit",
      body: { model: "qwen-max", messages: x, max_tokens: 9000 },
      message: /Range of max_tokens should be \[1, 8192\]/,
    },
    {
      what: "JSON mode without the word",
      body: { model: "qwen-plus", messages: x, response_format: { type: "json_object" } },
      message: /must contain the word 'json'/,
    },
    {
      what: "a blocked prompt",
      body: { model: "qwen-plus", messages: user("blocked") },
      code: "data_inspection_failed",
      message: /inappropriate content/,
    },
  ];

for (const { what, body, status = 400, code = "invalid_parameter_error", message } of qwenRejected) {
  test(`DashScope rejects ${what} with the ids next to the error`, async () => {
    const response = await send(simulator, qwenPath, body);
    const { error, id, request_id } = JSON.parse(response.text);
    assert.deepEqual([response.status, error.code, id], [status, code, `chatcmpl-${request_id}`], error.message);
    assert.match(error.message, message);
    assert.match(request_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
}

test("search on a model without it fails within a stream that has begun", async () => {
  const response = await send(simulator, qwenPath, {
    model: "qwen-vl-max",
    messages: x,
    enable_search: true,
    stream: true,
  });
  assert.equal(response.status, 200);
  assert.match(JSON.parse(dataOf(response.text)[0] ?? "").error.message, /enable_search/);
});

test("grok's reasoning is part of the total but not of the completion tokens", async () => {
  simulator.log.clear();
  const { usage } = await client("/xai/v1").chat.completions.create({
    model: "grok-4.3",
    messages: [{ role: "user", content: "think 7 words\nsay: x" }],
  });
  assert.deepEqual([usage?.completion_tokens, usage?.completion_tokens_details?.reasoning_tokens], [1, 7]);
  assert.equal(usage?.total_tokens, (usage?.prompt_tokens ?? 0) + 8);
  const [entry] = await logged(simulator, 1);
  assert.deepEqual([entry?.provider, entry?.delivered.content_tokens], ["xai", 8]);
});

test("xAI reports errors in its flat format", async () => {
  const post = (body: unknown, headers = {}) => send(simulator, "/xai/v1/chat/completions", body, headers);
  const cases = [
    [await post({ model: "grok-9", messages: x }), 404, /does not exist/],
    [await post({ model: "grok-4" }), 422, /Failed to deserialize .* missing field `messages`/],
    [
      await post({ model: "grok-4", messages: x, reasoning_effort: "low" }),
      400,
      /does not support parameter reasoningEffort/,
    ],
    [
      await post({ model: "grok-3-mini", messages: x, reasoning_effort: "medium" }),
      400,
      /Supported values are: low, high/,
    ],
    [await post({ model: "grok-4", messages: x, stop: "x" }), 400, /Argument not supported on this model: stop/],
    [await post({ model: "grok-3", messages: user("blocked") }), 400, /violates usage guidelines/],
    [await post({ model: "grok-3", messages: x }, { authorization: "Bearer bad-key" }), 401, /Incorrect API key/],
    [await post({ model: "grok-3--sim-status-429", messages: x }), 429, /Too many requests/],
  ] as const;
  for (const [{ status, text }, expected, message] of cases) {
    const body = JSON.parse(text);
    assert.equal(status, expected, text);
    assert.equal(typeof body.code, "string");
    assert.match(body.error, message);
  }
});

test("the vendor serves any id, reasons by its name, and reports bare usage", async () => {
  const vendor = client("/vendor/v1").chat.completions;
  const plain = await vendor.create({ model: "some-model", messages: [{ role: "user", content: "say: x" }] });
  assert.deepEqual(Object.keys(plain.usage ?? {}), ["prompt_tokens", "completion_tokens", "total_tokens"]);
  assert.equal(plain.model, "some-model");
  const thinking = await vendor.create({
    model: "some-thinking",
    messages: [{ role: "user", content: "think 9 words\nsay: x" }],
  });
  assert.equal(thinking.usage?.completion_tokens, 10);
  const wrong = await send(simulator, "/vendor/v1/chat/completions", { model: "unknown-1", messages: x });
  assert.deepEqual([wrong.status, JSON.parse(wrong.text).error.message], [400, "Model Not Exist"]);
});

test("spoken responses of an OpenAI audio model include their transcript", async () => {
  const body = {
    model: "gpt-audio",
    messages: user("say: Hi there"),
    modalities: ["text", "audio"],
    audio: { voice: "alloy", format: "wav" },
  };
  const whole = JSON.parse((await send(simulator, "/openai/v1/chat/completions", body)).text);
  assert.equal(whole.choices[0].message.content, null);
  assert.equal(whole.choices[0].message.audio.transcript, "Hi there");
  const wav = Buffer.from(whole.choices[0].message.audio.data, "base64");
  assert.deepEqual([wav.toString("latin1", 0, 4), wav.length], ["RIFF", 44 + 2 * 0.24 * 24_000 * 2]);
  const stream = await send(simulator, "/openai/v1/chat/completions", {
    ...body,
    audio: { voice: "alloy", format: "pcm16" },
    ...streamed,
  });
  const deltas = dataOf(stream.text)
    .slice(0, -2)
    .map((data) => JSON.parse(data).choices[0].delta.audio ?? {});
  assert.equal(deltas.map((audio) => audio.transcript ?? "").join(""), "Hi there");
});

test("every model that a compatible provider lists responds", async () => {
  const bases = ["/openai/v1", "/dashscope/compatible-mode/v1", "/xai/v1", "/vendor/v1"];
  for (const base of bases) {
    const { data } = JSON.parse((await send(simulator, `${base}/models`, undefined)).text);
    for (const { id } of data) {
      const stream = await send(simulator, `${base}/chat/completions`, {
        model: id,
        messages: user("say: x"),
        ...streamed,
      });
      assert.equal(dataOf(stream.text).at(-1), "[DONE]", `${id}: ${stream.text.slice(0, 200)}`);
    }
  }
});
