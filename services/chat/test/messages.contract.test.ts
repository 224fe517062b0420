import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { sendJson } from "./fixtures.ts";
import { chatForEachTest } from "./support.ts";

const settlement = () => chat.harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
const units = () => Object.fromEntries(settlement().units.map(({ name, quantity }) => [name, Number(quantity)]));
const headers = [
  "content-type",
  "application/json",
  "anthropic-version",
  "2023-06-01",
  "anthropic-beta",
  "one-2025-01-01,two-2026-01-01",
  "x-app",
  "cli",
];
const call = (body: unknown, options: { models?: string[]; headers?: string[]; lowersOutputCap?: boolean } = {}) =>
  chat.harness.call("messages", body, { headers, target: "/v1/messages?beta=true", ...options });
const count = (body: unknown, options: { models?: string[] } = {}) =>
  chat.harness.call("messages.count_tokens", body, { headers, target: "/v1/messages/count_tokens", ...options });
const body = <M extends object>(more: M = {} as M) => ({
  model: "claude",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const opening = event("message_start", {
  message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 40, output_tokens: 1 } },
});
const delta = (text: string): string => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
const ending =
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } }) +
  event("message_stop", {});

const catalog = (url: string): string => `
providers:
  anthropic: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret, timeouts: { first_byte: 5s } }
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret }
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret }
models:
  - &m
    id: claude
    owned_by: o
    created: 0
    operations: [messages, chat.completions]
    context_tokens: 100000
    max_output_tokens: 1000
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: anthropic }]
  - { <<: *m, id: renamed, upstreams: [{ provider: anthropic, model: claude-real-4-5 }] }
  - { <<: *m, id: gpt, upstreams: [{ provider: openai }] }
  - { <<: *m, id: gemini, upstreams: [{ provider: gemini }] }
  - { <<: *m, id: chat-only, operations: [chat.completions] }
  - { <<: *m, id: searcher, context_tokens: 1000000, price: { input_tokens: 1, output_tokens: 2, web_searches: 0.01 },
      search: { max_uses: 4, result_tokens: 40000 } }
`;
const chat = chatForEachTest(catalog);

test("passes request and response through byte for byte, with the client's own headers", async () => {
  const responseText = `{"type":"message", "content":[{"type":"text","text":"\\u00e9"}],\n "big":9007199254740993,"usage":{"input_tokens":3,"output_tokens":4}}`;
  chat.upstream.script = (_, response) => sendJson(response, 200, responseText);
  const sent = `{ "model":"claude","max_tokens":5, "messages":[{"role":"user","content":"Hi"}],"context_management":{"x":12345678901234567890}}`;
  const response = await call(sent, { headers: [...headers, "anthropic-future-thing", "yes"] });
  assert.equal(response.status, 200);
  assert.equal(response.text, responseText);
  const [requested] = chat.upstream.received;
  assert.equal(requested?.path, "/v1/messages");
  assert.equal(requested?.text, sent);
  assert.equal(requested?.headers["x-api-key"], "sk-upstream-secret");
  assert.equal(requested?.headers["anthropic-version"], "2023-06-01");
  assert.equal(requested?.headers["anthropic-beta"], "one-2025-01-01,two-2026-01-01");
  assert.equal(requested?.headers["anthropic-future-thing"], "yes");
  assert.equal(requested?.headers["x-app"], undefined);
  assert.deepEqual(units(), { input_tokens: 3, output_tokens: 4 });
  assert.equal(response.header("x-gateway-model"), "claude");
});

test("forwards a stream event by event, the last one after the bill", async () => {
  const text = `${opening}${event("ping", {})}${delta("Hello ")}${delta("there.")}${ending}`;
  chat.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(text);
  };
  let early = "";
  let seen = "";
  chat.harness.admission.settling = async () => {
    early = seen;
  };
  const stream = chat.harness.open("messages", JSON.stringify(body({ stream: true })), { headers });
  for await (const chunk of stream) seen += chunk.toString("utf8");
  assert.equal(seen, text);
  assert.ok(!early.includes("message_stop"));
  assert.deepEqual(units(), { input_tokens: 40, output_tokens: 7 });
  assert.equal(settlement().pricing, Pricing.EXACT);
});

test("bills a stream that is cut off by the counted prompt and the delivered part, and ends it with an error event", async () => {
  chat.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(opening + delta("The quick brown fox jumps over the lazy dog."));
  };
  const response = await call(body({ stream: true }));
  assert.match(
    response.text,
    /event: error\ndata: {"type":"error","error":{"type":"api_error","message":"[^"]+"},"request_id":"req_1"}\n\n<cut: [^>]+>$/,
  );
  assert.deepEqual(units(), { input_tokens: 40, output_tokens: 10 });
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
});

test("bills a client that disconnects for the counted prompt and the delivered part", async () => {
  chat.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(opening + delta("The quick brown fox jumps over the lazy dog."));
  };
  const stream = chat.harness.open("messages", JSON.stringify(body({ stream: true })), { headers });
  for await (const chunk of stream) if (chunk.includes("lazy dog")) break;
  await waitFor(() => chat.harness.admission.booked.at(-1)?.settlement !== undefined, { what: "the bill" });
  assert.deepEqual(units(), { input_tokens: 40, output_tokens: 10 });
  assert.equal(settlement().outcome, Outcome.DISCONNECTED);
});

test("forwards the upstream's error in mid-stream as the last event", async () => {
  const error = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_up"}`;
  chat.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${opening}${delta("Hel")}event: error\ndata: ${error}\n\n`);
  };
  const response = await call(body({ stream: true }));
  assert.match(response.text, /overloaded_error[^\n]+\n\n<cut: [^>]+>$/);
  assert.ok(response.text.includes(`event: error\ndata: ${error}\n\n`), response.text);
});

test("forwards the upstream's error about the request byte for byte, without our key", async () => {
  const reported = `{ "type": "error", "error": {"type": "invalid_request_error", "message": "messages.1.content.0: Invalid \`signature\`"}, "request_id": "req_up"}`;
  chat.upstream.script = (_, response) => sendJson(response, 400, reported);
  const response = await call(body());
  assert.equal(response.status, 400);
  assert.equal(response.text, reported);
  chat.upstream.script = (_, response) => sendJson(response, 413, reported.replace("Invalid", "sk-upstream-secret"));
  const leaky = await call(body());
  assert.equal(leaky.status, 413);
  assert.ok(leaky.text.includes("[redacted]") && !leaky.text.includes("upstream-secret"));
  assert.equal(settlement().outcome, Outcome.FAILED);
});

for (const [status, type, shown] of [
  [401, "authentication_error", 502],
  [402, "billing_error", 503],
  [403, "permission_error", 502],
  [429, "rate_limit_error", 429],
] as const) {
  test(`hides the upstream's error about our account: ${status}`, async () => {
    const error = { type, message: "our organization" };
    chat.upstream.script = (_, response) =>
      sendJson(response, status, { type: "error", error }, { "retry-after": "60" });
    const response = await call(body());
    assert.equal(response.status, shown);
    assert.doesNotMatch(response.text, /our organization/);
    assert.equal((response.json() as { type: unknown }).type, "error");
  });
}

test("reports an overloaded upstream as such after all attempts", async () => {
  const reported = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  chat.upstream.script = (_, response) => sendJson(response, 529, reported);
  const response = await call(body());
  assert.equal(response.status, 529);
  assert.deepEqual(response.json(), reported);
  assert.equal(response.header("x-gateway-attempts"), "3");
  assert.equal(response.header("x-should-retry"), "true");
});

const refused: [what: string, body: unknown, status: number, type: string, message: RegExp, models?: string[]][] = [
  ["not JSON", "{", 422, "invalid_request_error", /JSON/],
  [
    "no model",
    { max_tokens: 1, messages: [{ role: "user", content: "x" }] },
    400,
    "invalid_request_error",
    /^model: Field required$/,
  ],
  ["no cap", { ...body(), max_tokens: undefined }, 400, "invalid_request_error", /^max_tokens: Field required$/],
  [
    "a cap of zero",
    body({ max_tokens: 0 }),
    400,
    "invalid_request_error",
    /^max_tokens: Input should be greater than or equal to 1$/,
  ],
  ["no messages", body({ messages: [] }), 400, "invalid_request_error", /^messages: at least one message is required$/],
  [
    "a robot",
    body({ messages: [{ role: "robot", content: "x" }] }),
    400,
    "invalid_request_error",
    /^messages\.0\.role: Input should be 'user', 'assistant', 'system'$/,
  ],
  [
    "content of a number",
    body({ messages: [{ role: "user", content: 5 }] }),
    400,
    "invalid_request_error",
    /^messages\.0\.content: /,
  ],
  [
    "a temperature that is too high",
    body({ temperature: 1.5 }),
    400,
    "invalid_request_error",
    /^temperature: Input should be less than or equal to 1$/,
  ],
  ["an option with an unknown price", body({ speed: "fast" }), 400, "invalid_request_error", /^speed: /],
  ["an unknown model", body({ model: "claude-9-opus" }), 400, "not_found_error", /^model: claude-9-opus$/],
  ["a model of another key", body(), 400, "not_found_error", /^model: [\w.-]+$/, ["gpt"]],
  [
    "a model of another endpoint",
    body({ model: "chat-only" }),
    400,
    "invalid_request_error",
    /not available on this path/,
  ],
];
for (const [what, given, status, type, message, models] of refused) {
  for (const operation of what.includes("cap") || what.includes("temperature") || what.includes("price")
    ? [call]
    : [call, count]) {
    test(`rejects in Anthropic's error format on ${operation === call ? "messages" : "count_tokens"}: ${what}`, async () => {
      const response = await operation(given, models === undefined ? {} : { models });
      assert.equal(response.status, status, response.text);
      const {
        type: kind,
        error,
        request_id,
      } = response.json() as { type: string; error: { type: string; message: string }; request_id: string };
      assert.deepEqual([kind, error.type, request_id], ["error", type, "req_1"]);
      assert.match(error.message, message);
      assert.equal(chat.harness.admission.booked.length, 0);
      assert.equal(chat.upstream.received.length, 0);
    });
  }
}

test("counts tokens at an upstream that supports it, free of charge", async () => {
  chat.upstream.script = (requested, response) =>
    sendJson(response, 200, requested.path.includes("countTokens") ? { totalTokens: 77 } : { input_tokens: 55 });
  const system = [{ type: "text", text: "Be brief." }];
  const { max_tokens: _, ...request } = body({ system });
  assert.deepEqual((await count({ ...request, model: "renamed" })).json(), { input_tokens: 55 });
  assert.deepEqual((await count({ ...request, model: "gemini" })).json(), { input_tokens: 77 });
  const [anthropic, gemini] = chat.upstream.received;
  assert.equal(anthropic?.path, "/v1/messages/count_tokens");
  assert.equal(anthropic?.json["model"], "claude-real-4-5");
  assert.equal(anthropic?.headers["anthropic-beta"], "one-2025-01-01,two-2026-01-01");
  assert.equal(gemini?.path, "/v1beta/models/gemini:countTokens");
  const counted = gemini?.json["generateContentRequest"] as Record<string, unknown> | undefined;
  assert.equal(counted?.["model"], "models/gemini");
  assert.equal(chat.harness.admission.booked.length, 0);
});

test("estimates tokens if no upstream counts them, including images and tools", async () => {
  const base = { model: "gpt", messages: [{ role: "user", content: "The quick brown fox jumps over the lazy dog." }] };
  const tokens = async (more: object): Promise<number> =>
    Number((await count({ ...base, ...more })).json()["input_tokens"]);
  const plain = await tokens({});
  assert.ok(plain > 10 && plain < 30, String(plain));
  assert.ok((await tokens({ system: "You are a careful assistant." })) > plain + 4);
  const tools = [{ name: "get_weather", description: "Weather now", input_schema: { type: "object", properties: {} } }];
  assert.ok((await tokens({ tools })) > plain + 5);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000_000) } };
  const withImage = await tokens({ messages: [{ role: "user", content: [image] }] });
  assert.ok(withImage > 500 && withImage < 3_000, String(withImage));
  assert.equal(chat.upstream.received.length, 0);
});

test("estimates tokens when the upstream's count fails, but passes on its refusal", async () => {
  chat.upstream.script = (_, response) => sendJson(response, 529, {});
  const estimated = await count({ model: "claude", messages: [{ role: "user", content: "Hi" }] });
  assert.equal(estimated.status, 200);
  const reported = { type: "error", error: { type: "invalid_request_error", message: "messages.0: odd" } };
  chat.upstream.script = (_, response) => sendJson(response, 400, reported);
  const refusal = await count({ model: "claude", messages: [{ role: "user", content: "Hi" }] });
  assert.equal(refusal.status, 400);
  assert.deepEqual(refusal.json(), reported);
});

const search = { type: "web_search_20250305", name: "web_search" };
const hold = () => chat.harness.admission.booked.at(-1)?.request.holdNanoUsd ?? assert.fail("nothing was admitted");

test("holds for provider-side searches: their price, their results, and every reprocessing of them", async () => {
  chat.upstream.script = (_, response) =>
    sendJson(response, 200, { content: [], usage: { input_tokens: 1, output_tokens: 1 } });
  await call(body({ model: "searcher", tools: [{ ...search, max_uses: 10 }] }));
  // The cost of ten searches with 15,000 tokens of results, each read again in every later round.
  const results = (10n * 11n * 15_000n) / 2n;
  assert.ok(hold() >= 10n * 10_000_000n + results * 1_000n, `${hold()}`);
  await call(body({ model: "searcher", tools: [{ ...search, max_uses: 1 }] }));
  assert.ok(hold() >= 10_000_000n + 15_000n * 1_000n && hold() < 60_000_000n, `${hold()}`);
});

test("caps searches without a client's cap by the catalogue or the balance, and reports the cap", async () => {
  chat.upstream.script = (_, response) =>
    sendJson(response, 200, { content: [], usage: { input_tokens: 1, output_tokens: 1 } });
  const uncapped = body({ model: "searcher", tools: [search, { name: "own", input_schema: { type: "object" } }] });
  const response = await call(uncapped);
  assert.equal(response.header("x-gateway-max-uses"), "4");
  assert.deepEqual(chat.upstream.received.at(-1)?.json["tools"], [{ ...search, max_uses: 4 }, uncapped.tools[1]]);
  chat.harness.admission.onAdmit = ({ holdNanoUsd }) => {
    const cause = { availableNanoUsd: 150_000_000n };
    if (holdNanoUsd > cause.availableNanoUsd) throw new GatewayError("insufficient_balance", undefined, { cause });
  };
  assert.equal((await call(uncapped)).status, 402, "the account has not set lower_output_cap");
  const lowersOutputCap = true;
  assert.equal((await call(uncapped, { lowersOutputCap })).header("x-gateway-max-uses"), "2");
  assert.deepEqual(chat.upstream.received.at(-1)?.json["tools"], [{ ...search, max_uses: 2 }, uncapped.tools[1]]);
  const own = await call(body({ model: "searcher", tools: [{ ...search, max_uses: 3 }] }), { lowersOutputCap });
  assert.deepEqual([own.status, own.header("x-gateway-max-uses")], [402, undefined]);
});

for (const [what, more] of [
  ["code execution", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  ["search, on a model without a price for it", { model: "claude", tools: [search] }],
  ["MCP", { mcp_servers: [{ type: "url", url: "https://x.test", name: "x" }] }],
  ["a container of skills", { container: { skills: [] } }],
  ["compaction", { context_management: { edits: [{ type: "compact_20260112" }] } }],
  ["a tool that is not known", { tools: [{ type: "advisor_20260301", name: "advisor" }] }],
] as const) {
  test(`rejects provider-side tools without a price by name before any upstream call: ${what}`, async () => {
    const response = await call(body({ model: "searcher", ...more }));
    assert.equal(response.status, 400, response.text);
    assert.match(response.text, /no price for it/);
    assert.deepEqual([chat.upstream.received.length, chat.harness.admission.booked.length], [0, 0]);
  });
}

test("accepts client-side tools and edits that only drop content", async () => {
  chat.upstream.script = (_, response) =>
    sendJson(response, 200, { content: [], usage: { input_tokens: 1, output_tokens: 1 } });
  const tools = [
    { type: "bash_20250124", name: "bash" },
    { type: "text_editor_20250728", name: "edit" },
    { type: "memory_20250818", name: "memory" },
    { type: "computer_20250124", name: "computer" },
    { type: "custom", name: "own", input_schema: { type: "object" } },
  ];
  const contextManagement = { edits: [{ type: "clear_tool_uses_20250919" }] };
  assert.equal(
    (await call(body({ tools, context_management: contextManagement, mcp_servers: [], container: null }))).status,
    200,
  );
});
