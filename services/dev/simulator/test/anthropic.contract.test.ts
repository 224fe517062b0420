import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { type Simulator, startSimulator } from "../src/service.ts";
import { logged, send } from "./support.ts";

let simulator: Simulator;
let client: Anthropic;

before(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ apiKey: "good", baseURL: `${simulator.url}/anthropic`, maxRetries: 0 });
});
after(() => simulator.close());

const model = "claude-sonnet-4-6";
const user = (content: string) => [{ role: "user" as const, content }];
const weather = {
  name: "get_weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
};
const clock = { name: "get_clock", input_schema: { type: "object" as const } };

function raw(body: object, headers: Record<string, string> = {}) {
  return send(simulator, "/anthropic/v1/messages?beta=true", body, { "anthropic-version": "2023-06-01", ...headers });
}

test("a message and its stream have the same content and usage", async () => {
  const request = { model, max_tokens: 100, messages: user("say: Grüße 😀") };
  const whole = await client.messages.create(request);
  assert.deepEqual(whole.content, [{ type: "text", text: "Grüße 😀" }]);
  assert.equal(whole.stop_reason, "end_turn");
  const streamed = await client.messages.stream(request).finalMessage();
  assert.equal(streamed.content[0]?.type === "text" && streamed.content[0].text, "Grüße 😀");
  assert.equal(streamed.usage.input_tokens, whole.usage.input_tokens);
  assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens);
});

test("streams thinking, text and parallel tools in Anthropic's order, byte for byte", async () => {
  const body = {
    model: `${model}--sim-same-id`,
    max_tokens: 2000,
    stream: true,
    thinking: { type: "adaptive" },
    messages: user('think 1 words\ncall get_weather {"city":"Oslo"}\ncall get_clock {}\nsay: Hi'),
    tools: [weather, clock],
  };
  const { text } = await raw(body);
  const events = text
    .trimEnd()
    .split("\n\n")
    .map((event) => event.split("\n"));
  for (const [name, data] of events) assert.equal(name, `event: ${JSON.parse(data?.slice(6) ?? "").type}`);
  const kinds = events.map(([, data]) => {
    const { type, delta, content_block: block } = JSON.parse(data?.slice(6) ?? "");
    return [type, delta?.type ?? block?.type].filter(Boolean).join(" ");
  });
  const tool = ["content_block_start tool_use", "content_block_delta input_json_delta"];
  assert.deepEqual(
    kinds.filter((kind, i) => kind !== kinds[i - 1]),
    [
      "message_start",
      "content_block_start thinking",
      "ping",
      "content_block_delta thinking_delta",
      "content_block_delta signature_delta",
      "content_block_stop",
      "content_block_start text",
      "content_block_delta text_delta",
      "content_block_stop",
      ...tool,
      "content_block_stop",
      ...tool,
      "content_block_stop",
      "message_delta",
      "message_stop",
    ],
  );
});

test("accepts a conversation with thinking and tools with its signature, and rejects a changed signature", async () => {
  const request = { model, max_tokens: 2000, thinking: { type: "adaptive" as const }, tools: [weather] };
  const messages = user('think 5 words\ncall get_weather {"city":"Oslo"}');
  const first = await client.messages.create({ ...request, messages });
  assert.equal(first.stop_reason, "tool_use");
  const use = first.content.find((block) => block.type === "tool_use");
  const results = [
    {
      role: "user" as const,
      content: [{ type: "tool_result" as const, tool_use_id: use?.id ?? "", content: "sunny" }],
    },
  ];
  const second = await client.messages.create({
    ...request,
    messages: [...messages, { role: "assistant", content: first.content }, ...results],
  });
  assert.match(JSON.stringify(second.content), /sunny/);
  const forged = first.content.map((block) =>
    block.type === "thinking" ? { ...block, signature: "Zm9yZ2Vk" } : block,
  );
  await assert.rejects(
    client.messages.create({ ...request, messages: [...messages, { role: "assistant", content: forged }, ...results] }),
    /Invalid `signature` in `thinking` block/,
  );
});

test("writes marked prefixes to the cache once and then reads them, by lifetime", async () => {
  const text = "word ".repeat(2000);
  const system = [{ type: "text" as const, text, cache_control: { type: "ephemeral" as const, ttl: "1h" as const } }];
  const request = { model, max_tokens: 10, system, messages: user("say: x") };
  const { usage: first } = await client.messages.create(request);
  const { usage: second } = await client.messages.create({ ...request, messages: user("say: y") });
  assert.equal(first.cache_creation?.ephemeral_1h_input_tokens, first.cache_creation_input_tokens);
  assert.ok((first.cache_creation_input_tokens ?? 0) > 2000);
  assert.equal(first.cache_read_input_tokens, 0);
  assert.equal(second.cache_read_input_tokens, first.cache_creation_input_tokens);
  assert.equal(second.cache_creation_input_tokens, 0);
  const { input_tokens } = await client.messages.countTokens({ model, system, messages: user("say: x") });
  assert.equal(input_tokens, first.input_tokens + (first.cache_creation_input_tokens ?? 0));
});

test("input tokens are never 0, even when the whole prompt is written to or read from the cache", async () => {
  const text = "word ".repeat(2000);
  const content = [{ type: "text" as const, text, cache_control: { type: "ephemeral" as const } }];
  const request = { model, max_tokens: 10, messages: [{ role: "user" as const, content }] };
  const { usage: written } = await client.messages.create(request);
  const { usage: read } = await client.messages.create(request);
  assert.ok((written.cache_creation_input_tokens ?? 0) > 2000);
  assert.equal(read.cache_read_input_tokens, written.cache_creation_input_tokens);
  assert.ok(written.input_tokens > 0 && read.input_tokens > 0);
});

test("fetched pages are blocks of the message and count as tokens", async () => {
  const tools = [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 2 }];
  const { text } = await raw({ model, max_tokens: 10, tools, messages: user("fetch 3 pages\nsay: x") });
  const { content, usage } = JSON.parse(text) as { content: { type: string }[]; usage: Record<string, unknown> };
  const page = ["server_tool_use", "web_fetch_tool_result"];
  assert.deepEqual(
    content.map(({ type }) => type),
    [...page, ...page, "text"],
  );
  assert.deepEqual(usage["server_tool_use"], { web_search_requests: 0, web_fetch_requests: 2 });
  assert.ok((usage["input_tokens"] as number) > 75_000);
});

test("limits, stop sequences and refusals have their stop reasons", async () => {
  const call = (content: string, more: object = {}) =>
    client.messages.create({ model, max_tokens: 50, messages: user(content), ...more });
  assert.equal((await call("repeat 90 words")).stop_reason, "max_tokens");
  const stopped = await call("say: one two three", { stop_sequences: [" two"] });
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ["stop_sequence", " two"]);
  const refused = await call("refuse: no");
  assert.equal(refused.stop_reason, "refusal");
});

test("responds to a JSON schema with a matching instance, and counts images and documents", async () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1, maximum: 1 } },
    required: ["n"],
    additionalProperties: false,
  };
  const response = await client.messages.create({
    model,
    max_tokens: 100,
    messages: user("x"),
    output_config: { format: { type: "json_schema", schema } },
  });
  assert.deepEqual(response.content[0]?.type === "text" && JSON.parse(response.content[0].text), { n: 1 });
  const gif = Buffer.alloc(40);
  gif.write("GIF89a", "latin1");
  gif.writeUInt16LE(300, 6);
  gif.writeUInt16LE(250, 8);
  const count = async (content: Anthropic.ContentBlockParam[]) =>
    (await client.messages.countTokens({ model, messages: [{ role: "user", content }] })).input_tokens;
  const empty = await count([{ type: "text", text: "x" }]);
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/gif" as const, data: gif.toString("base64") },
  };
  assert.equal((await count([image, { type: "text", text: "x" }])) - empty, 100);
  const pdf = Buffer.from("%PDF-1.4 /Type /Page\n/Type /Page\n/Type /Pages").toString("base64");
  const document = {
    type: "document" as const,
    source: { type: "base64" as const, media_type: "application/pdf" as const, data: pdf },
  };
  assert.equal((await count([document, { type: "text", text: "x" }])) - empty, 3000);
});

const small = { model, max_tokens: 10, messages: user("x") };
const used = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const rejected: readonly { what: string; body: object; headers?: Record<string, string>; message: RegExp }[] = [
  {
    what: "no version",
    body: small,
    headers: { "anthropic-version": "" },
    message: /^anthropic-version: header is required/,
  },
  {
    what: "an unknown version",
    body: small,
    headers: { "anthropic-version": "2024-01-01" },
    message: /is not a valid version/,
  },
  {
    what: "sampling under the newer version",
    body: { ...small, temperature: 1 },
    headers: { "anthropic-version": "2026-10-21" },
    message: /^temperature: Extra inputs are not permitted/,
  },
  {
    what: "an assistant document under the newer version",
    body: {
      ...small,
      messages: [
        ...user("x"),
        {
          role: "assistant",
          content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: "x" } }],
        },
        ...user("y"),
      ],
    },
    headers: { "anthropic-version": "2026-10-21" },
    message: /`document` blocks/,
  },
  {
    what: "cited user text under the newer version",
    body: { ...small, messages: [{ role: "user", content: [{ type: "text", text: "x", citations: [{}] }] }] },
    headers: { "anthropic-version": "2026-10-21" },
    message: /citations: Extra inputs/,
  },
  { what: "no max_tokens", body: { model, messages: user("x") }, message: /^max_tokens: Field required/ },
  {
    what: "an unknown field without a beta",
    body: { ...small, surprise: 1 },
    message: /^surprise: Extra inputs are not permitted/,
  },
  {
    what: "context management without its beta",
    body: { ...small, context_management: {} },
    headers: { "anthropic-beta": "other" },
    message: /^context_management: Extra/,
  },
  {
    what: "an assistant's first message",
    body: { ...small, messages: [{ role: "assistant", content: "x" }] },
    message: /first message must use the "user" role/,
  },
  {
    what: "an empty message",
    body: { ...small, messages: [{ role: "user", content: "" }] },
    message: /must have non-empty content/,
  },
  {
    what: "a tool use without a result",
    body: { ...small, messages: [...user("x"), { role: "assistant", content: [used] }, ...user("y")] },
    message: /`tool_use` ids were found without `tool_result` blocks/,
  },
  {
    what: "results after text",
    body: {
      ...small,
      messages: [
        ...user("x"),
        { role: "assistant", content: [used] },
        {
          role: "user",
          content: [
            { type: "text", text: "t" },
            { type: "tool_result", tool_use_id: "toolu_1" },
          ],
        },
      ],
    },
    message: /`tool_use` ids were found without/,
  },
  {
    what: "a result without a use",
    body: { ...small, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
    message: /unexpected `tool_use_id`/,
  },
  {
    what: "five cache markers",
    body: {
      ...small,
      messages: [
        {
          role: "user",
          content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: { type: "ephemeral" } })),
        },
      ],
    },
    message: /A maximum of 4 blocks/,
  },
  {
    what: "trailing space in a prefill",
    body: { ...small, messages: [...user("x"), { role: "assistant", content: "y " }] },
    message: /trailing whitespace/,
  },
  {
    what: "a temperature over 1",
    body: { ...small, temperature: 1.5 },
    message: /^temperature: Input should be less than or equal to 1/,
  },
  {
    what: "a temperature on a model that fixes it",
    body: { ...small, model: "claude-opus-4-7", temperature: 0.5 },
    message: /only the default value/,
  },
  {
    what: "a thinking budget on an adaptive model",
    body: { ...small, model: "claude-opus-4-7", max_tokens: 5000, thinking: { type: "enabled", budget_tokens: 2000 } },
    message: /adaptive/,
  },
  {
    what: "adaptive thinking on an older model",
    body: { ...small, model: "claude-haiku-4-5", thinking: { type: "adaptive" } },
    message: /adaptive thinking is not supported/,
  },
  {
    what: "a budget over the limit",
    body: { ...small, max_tokens: 1500, thinking: { type: "enabled", budget_tokens: 2000 } },
    message: /must be greater than `thinking.budget_tokens`/,
  },
  {
    what: "a small budget",
    body: { ...small, max_tokens: 1500, thinking: { type: "enabled", budget_tokens: 10 } },
    message: /^thinking.budget_tokens: Input should be greater than or equal to 1024/,
  },
  {
    what: "a forced tool with thinking",
    body: { ...small, thinking: { type: "adaptive" }, tools: [weather], tool_choice: { type: "any" } },
    message: /tool_choice forces tool use/,
  },
  {
    what: "a max_tokens above the limit",
    body: { ...small, max_tokens: 999_999 },
    message: /^max_tokens: 999999 > 128000/,
  },
  {
    what: "an invalid PNG",
    body: {
      ...small,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: btoa("<svg>".repeat(20)) } },
          ],
        },
      ],
    },
    message: /Could not process image/,
  },
  {
    what: "a tool without schema",
    body: { ...small, tools: [{ name: "f" }] },
    message: /^tools.0.input_schema: Field required/,
  },
];

for (const { what, body, headers, message } of rejected) {
  test(`rejects ${what} with a 400 in Anthropic's format`, async () => {
    const response = await raw(body, headers);
    const parsed = JSON.parse(response.text);
    assert.equal(response.status, 400);
    assert.deepEqual(
      [parsed.type, parsed.error.type, parsed.request_id],
      ["error", "invalid_request_error", response.headers.get("request-id")],
    );
    assert.match(parsed.error.message, message);
  });
}

test("accepts beta fields with their header", async () => {
  const headers = { "anthropic-beta": "context-management-2025-06-27" };
  assert.equal((await raw({ ...small, context_management: {}, surprise: 1 }, headers)).status, 200);
});

test("errors, statuses and rate limit headers have Anthropic's form", async () => {
  const failing = (status: number) => client.messages.create({ ...small, model: `${model}--sim-status-${status}` });
  for (const [status, type] of [
    [401, "authentication_error"],
    [429, "rate_limit_error"],
    [529, "overloaded_error"],
  ] as const) {
    await assert.rejects(
      failing(status),
      (error) => error instanceof APIError && error.status === status && JSON.stringify(error.error).includes(type),
    );
  }
  const unknown = await raw({ ...small, model: "claude-9" });
  assert.deepEqual(
    [unknown.status, JSON.parse(unknown.text).error],
    [404, { type: "not_found_error", message: "model: claude-9" }],
  );
  const { headers } = await raw(small);
  assert.equal(headers.get("anthropic-ratelimit-requests-limit"), "4000");
  assert.ok(Date.parse(headers.get("anthropic-ratelimit-tokens-reset") ?? "") > Date.now());
  const wrong = await raw(small, { authorization: "", "x-api-key": "bad-key" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.text).error.message], [401, "invalid x-api-key"]);
});

test("an error event ends the stream, and a stream that is cut off has already reported its input tokens", async () => {
  const { text } = await raw({ ...small, stream: true, model: `${model}--sim-error-event-4--sim-error-status-529` });
  assert.match(
    text,
    /event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\},"request_id":"req_/,
  );
  simulator.log.clear();
  await raw({ ...small, stream: true, model: `${model}--sim-cut-4` });
  const [entry] = await logged(simulator, 1);
  assert.deepEqual([entry?.outcome, entry?.usage?.["input_tokens"], entry?.usage?.["output_tokens"]], ["cut", 7, 1]);
});

test("lists models in pages", async () => {
  const ids: string[] = [];
  for await (const { id } of client.models.list({ limit: 2 })) ids.push(id);
  assert.ok(ids.length > 5 && ids.includes("claude-haiku-4-5-20251001"));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal((await client.models.retrieve("claude-haiku-4-5")).display_name, "Claude Haiku 4.5");
});
