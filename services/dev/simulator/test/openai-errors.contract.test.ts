import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Simulator, startSimulator } from "../src/service.ts";
import { send } from "./support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const path = "/openai/v1/chat/completions";
const good = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
const tool = { type: "function", function: { name: "f", parameters: {} } };

const rejected: readonly { what: string; body: unknown; param: string | null; code: string | null }[] = [
  { what: "no model", body: { messages: good.messages }, param: null, code: null },
  { what: "no messages", body: { model: "gpt-4o" }, param: "messages", code: "missing_required_parameter" },
  { what: "empty messages", body: { ...good, messages: [] }, param: "messages", code: "empty_array" },
  {
    what: "an unknown role",
    body: { ...good, messages: [{ role: "robot", content: "" }] },
    param: "messages[0].role",
    code: "invalid_value",
  },
  {
    what: "user content null",
    body: { ...good, messages: [{ role: "user", content: null }] },
    param: "messages[0].content",
    code: "invalid_type",
  },
  {
    what: "an unknown part",
    body: { ...good, messages: [{ role: "user", content: [{ type: "smell" }] }] },
    param: "messages[0].content[0].type",
    code: "invalid_value",
  },
  {
    what: "a tool message without id",
    body: { ...good, messages: [{ role: "tool", content: "x" }] },
    param: "messages[0].tool_call_id",
    code: "missing_required_parameter",
  },
  {
    what: "a tool message without a call",
    body: { ...good, messages: [{ role: "tool", content: "x", tool_call_id: "c" }] },
    param: "messages.[0].role",
    code: null,
  },
  {
    what: "temperature 2.01",
    body: { ...good, temperature: 2.01 },
    param: "temperature",
    code: "decimal_above_max_value",
  },
  { what: "temperature as text", body: { ...good, temperature: "1" }, param: "temperature", code: "invalid_type" },
  {
    what: "a penalty of 3",
    body: { ...good, frequency_penalty: 3 },
    param: "frequency_penalty",
    code: "decimal_above_max_value",
  },
  {
    what: "five stops",
    body: { ...good, stop: ["a", "b", "c", "d", "e"] },
    param: "stop",
    code: "array_above_max_length",
  },
  { what: "n of 0", body: { ...good, n: 0 }, param: "n", code: "integer_below_min_value" },
  {
    what: "both token limits",
    body: { ...good, max_tokens: 5, max_completion_tokens: 5 },
    param: "max_tokens",
    code: "invalid_parameter_combination",
  },
  {
    what: "a max_tokens above the limit",
    body: { ...good, max_tokens: 99_999 },
    param: "max_tokens",
    code: "invalid_value",
  },
  {
    what: "an old limit on a reasoning model",
    body: { ...good, model: "o3", max_tokens: 5 },
    param: "max_tokens",
    code: "unsupported_parameter",
  },
  {
    what: "a temperature on a reasoning model",
    body: { ...good, model: "o3", temperature: 0.5 },
    param: "temperature",
    code: "unsupported_value",
  },
  {
    what: "a stop on a reasoning model",
    body: { ...good, model: "o3", stop: "x" },
    param: "stop",
    code: "unsupported_parameter",
  },
  {
    what: "effort on a model that does not reason",
    body: { ...good, reasoning_effort: "low" },
    param: "reasoning_effort",
    code: "unsupported_parameter",
  },
  {
    what: "an unknown effort",
    body: { ...good, model: "gpt-5", reasoning_effort: "ultra" },
    param: "reasoning_effort",
    code: "unsupported_value",
  },
  {
    what: "stream options without a stream",
    body: { ...good, stream_options: {} },
    param: "stream_options",
    code: null,
  },
  { what: "tool choice without tools", body: { ...good, tool_choice: "auto" }, param: "tool_choice", code: null },
  {
    what: "a chosen tool that does not exist",
    body: { ...good, tools: [tool], tool_choice: { type: "function", function: { name: "g" } } },
    param: "tool_choice",
    code: null,
  },
  { what: "a tool as text", body: { ...good, tools: ["f"] }, param: "tools[0]", code: "invalid_type" },
  {
    what: "JSON mode without the word",
    body: { ...good, response_format: { type: "json_object" } },
    param: "messages",
    code: null,
  },
  {
    what: "audio from a text model",
    body: { ...good, modalities: ["text", "audio"] },
    param: "modalities",
    code: "invalid_value",
  },
  {
    what: "a broken data URL",
    body: {
      ...good,
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,@@" } }] }],
    },
    param: "messages[0].content[0].image_url.url",
    code: "invalid_value",
  },
  {
    what: "an HTML page as an image",
    body: {
      ...good,
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${btoa("<html>".repeat(9))}` } }],
        },
      ],
    },
    param: null,
    code: "invalid_image_format",
  },
];

for (const { what, body, param, code } of rejected) {
  test(`rejects ${what} with a 400 in OpenAI's format that names the field`, async () => {
    const response = await send(simulator, path, body);
    const { error } = JSON.parse(response.text);
    assert.deepEqual(
      [response.status, error.type, error.param, error.code],
      [400, "invalid_request_error", param, code],
      error.message,
    );
  });
}

test("accepts the additional fields of real clients", async () => {
  const called = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  const messages = [
    { role: "developer", content: "be nice" },
    { role: "user", content: [{ type: "text", text: "x" }] },
    { role: "assistant", content: null, tool_calls: called },
    { role: "tool", tool_call_id: "c", content: "y" },
  ];
  const body = {
    ...good,
    messages,
    tools: [tool],
    stop: "END",
    user: "u",
    service_tier: "auto",
    anything: { at: "all" },
  };
  assert.equal((await send(simulator, path, body)).status, 200);
});

test("rejects an unknown field only in strict mode", async () => {
  const response = await send(simulator, path, { ...good, anything: 1 }, { "x-sim-strict": "1" });
  assert.equal(response.status, 400);
  assert.match(response.text, /Unrecognized request argument supplied: anything/);
});

test("rejects a prompt above the context window with both numbers", async () => {
  const response = await send(simulator, path, {
    ...good,
    messages: [{ role: "user", content: "word ".repeat(120_000) }],
  });
  const { error } = JSON.parse(response.text);
  assert.deepEqual([response.status, error.code], [400, "context_length_exceeded"]);
  assert.match(error.message, /128000 tokens.*resulted in \d+ tokens/);
});

test("a missing key, a wrong key and an unknown path have OpenAI's bodies", async () => {
  const missing = await send(simulator, path, good, { authorization: "" });
  assert.deepEqual([missing.status, JSON.parse(missing.text).error.code], [401, null]);
  const wrong = await send(simulator, path, good, { authorization: "Bearer bad-0123456789" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.text).error.code], [401, "invalid_api_key"]);
  assert.doesNotMatch(wrong.text, /bad-0123456789/);
  const unknown = await send(simulator, "/openai/v1/nope", {});
  assert.equal(unknown.status, 404);
  assert.equal(JSON.parse(unknown.text).error.message, "Invalid URL (POST /v1/nope)");
});

test("rejects a body that is not JSON before any other check", async () => {
  for (const body of ["{", "{} x", '{"a":"line\nbreak"}']) {
    const response = await send(simulator, path, body);
    assert.equal(response.status, 400);
    assert.match(response.text, /could not parse the JSON body/);
  }
});

test("every response has OpenAI's headers", async () => {
  const { headers } = await send(simulator, path, good);
  assert.match(headers.get("x-request-id") ?? "", /^req_/);
  assert.match(headers.get("openai-processing-ms") ?? "", /^\d+$/);
  assert.equal(headers.get("x-ratelimit-limit-requests"), "10000");
  assert.match(headers.get("x-ratelimit-reset-tokens") ?? "", /^\d+ms$/);
});
