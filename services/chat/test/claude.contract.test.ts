import assert from "node:assert/strict";
import { test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { sendJson } from "./fixtures.ts";
import { chatForEachTest } from "./support.ts";

const catalog = (url: string): string => `
providers:
  anthropic: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret }
models:
  - id: claude-sonnet-4-5
    owned_by: o
    created: 0
    operations: [messages, chat.completions, responses]
    context_tokens: 1000000
    max_output_tokens: 1000
    price: { input_tokens: 3, cached_input_tokens: 0.3, output_tokens: 15 }
    upstreams: [{ provider: anthropic }]
`;
const chat = chatForEachTest(catalog);
const model = "claude-sonnet-4-5";
const messages = [{ role: "user", content: "Hi" }];
const formats = {
  messages: { model, max_tokens: 100, messages },
  "chat.completions": { model, messages },
  responses: { model, input: "Hi" },
} as const;
type Format = keyof typeof formats;
const names = Object.keys(formats) as Format[];

const settlement = () => chat.harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
const hold = (): bigint =>
  chat.harness.admission.booked.at(-1)?.request.holdNanoUsd ?? assert.fail("nothing was admitted");
const event = (data: Record<string, unknown>): string => `event: ${data["type"]}\ndata: ${JSON.stringify(data)}\n\n`;
const counts = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });

/** One message, as a body and as a stream. */
interface Message {
  readonly content: readonly Record<string, unknown>[];
  readonly usage: Record<string, unknown>;
  readonly stop: string | null;
}

function eventsOf({ content, usage, stop }: Message): string {
  const message = { id: "msg_1", role: "assistant", model, content: [], usage: counts(1, 1) };
  const blocks = content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]);
  const delta = { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage };
  return [{ type: "message_start", message }, ...blocks, delta, { type: "message_stop" }].map(event).join("");
}

function serve(message: Message): void {
  chat.upstream.script = (request, response) => {
    if (request.json["stream"] !== true) {
      const { content, usage, stop } = message;
      sendJson(response, 200, {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content,
        usage,
        stop_reason: stop,
      });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(eventsOf(message));
  };
}

const text = { type: "text", text: "Hello." };
const ask = (format: Format, more: Record<string, unknown> = {}) =>
  chat.harness.call(format, { ...formats[format], ...more });

for (const fallbacks of [[{ model: "claude-opus-4-8" }], [{ model, speed: "fast" }], "default"]) {
  test(`refuses fallbacks before it calls the provider: ${JSON.stringify(fallbacks)}`, async () => {
    const response = await ask("messages", { fallbacks });
    assert.equal(response.status, 400);
    assert.match(response.text, /fallbacks: another model has another price/);
    assert.deepEqual([chat.upstream.received.length, chat.harness.admission.booked.length], [0, 0]);
  });
}

for (const format of names) {
  for (const stream of [false, true]) {
    const how = `${format}, ${stream ? "streamed" : "whole"}`;

    test(`bills every model run of a response, not its top level (${how})`, async () => {
      const iterations = [
        { type: "compaction", ...counts(50, 20) },
        { type: "message", ...counts(20, 30) },
      ];
      serve({ content: [text], usage: { ...counts(20, 30), iterations }, stop: "end_turn" });
      assert.equal((await ask(format, { stream })).status, 200);
      assert.equal(settlement().costNanoUsd, 70n * 3_000n + 50n * 15_000n);
      assert.equal(settlement().pricing, Pricing.EXACT);
    });

    test(`never bills another model's tokens at the requested model's price (${how})`, async () => {
      const iterations = [
        { type: "message", model, ...counts(400, 0) },
        { type: "fallback_message", model: "claude-opus-4-8", ...counts(410, 260) },
      ];
      serve({ content: [text], usage: { ...counts(410, 260), iterations }, stop: "end_turn" });
      assert.equal((await ask(format, { stream })).status, 200);
      assert.equal(settlement().pricing, Pricing.UNPRICED);
      assert.ok(settlement().costNanoUsd >= hold());
      assert.deepEqual(
        settlement().units.map(({ name, quantity }) => [name, Number(quantity)]),
        [
          ["input_tokens", 400],
          ["input_tokens:claude-opus-4-8", 410],
          ["output_tokens:claude-opus-4-8", 260],
        ],
      );
    });

    test(`bills only the tokens of tool uses without a price of their own (${how})`, async () => {
      const used = { web_fetch_requests: 2, tool_search_requests: 3, web_search_requests: 0 };
      serve({ content: [text], usage: { ...counts(10, 20), server_tool_use: used }, stop: "end_turn" });
      assert.equal((await ask(format, { stream })).status, 200);
      assert.deepEqual([settlement().pricing, settlement().costNanoUsd], [Pricing.EXACT, 10n * 3_000n + 20n * 15_000n]);
    });
  }
}

const call = { type: "tool_use", id: "toolu_1", name: "roll", input: { sides: 6 } };

/** How a response ended, for a client of the format. */
function endOf(format: Format, body: string): unknown {
  if (format === "responses") return /"status":"(incomplete)"/.exec(body)?.[1] ?? "completed";
  return [...body.matchAll(/"(?:finish|stop)_reason":"(\w+)"/g)].at(-1)?.[1];
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  for (const stop of [null, ""]) {
    test(`a response that calls tools without a stop reason ends with tool calls (${how}, ${stop})`, async () => {
      serve({ content: [text, call], usage: counts(10, 20), stop });
      assert.equal(endOf("chat.completions", (await ask("chat.completions", { stream })).text), "tool_calls");
      assert.equal(settlement().costNanoUsd, 10n * 3_000n + 20n * 15_000n);
    });
  }

  test(`does not report an unknown stop reason as a normal end (${how})`, async () => {
    serve({ content: [text], usage: counts(10, 20), stop: "out_of_patience" });
    const response = await ask("chat.completions", { stream });
    assert.equal(endOf("chat.completions", response.text), "content_filter");
    assert.match(response.text, /The provider ended the response: out_of_patience\./);
    assert.equal(endOf("responses", (await ask("responses", { stream })).text), "incomplete");
  });

  test(`delivers the input of a call that is complete in its first event (${how})`, async () => {
    serve({ content: [call], usage: counts(10, 20), stop: "tool_use" });
    assert.match((await ask("chat.completions", { stream })).text, /"arguments":"{\\"sides\\":6}"/);
    assert.match((await ask("responses", { stream })).text, /"arguments":"{\\"sides\\":6}"/);
  });
}

const thought = { type: "thinking", thinking: "Now what?", signature: "c2ln" };
const sealed = { type: "redacted_thinking", data: "ZGF0YQ" };

test("alternating text and thinking keep their order through chat", async () => {
  const content = [{ type: "text", text: "First. " }, thought, { type: "text", text: "Second." }, sealed, call];
  serve({ content, usage: counts(10, 20), stop: "tool_use" });
  const [{ message }] = ((await ask("chat.completions")).json() as { choices: [{ message: object }] }).choices;
  const result = { role: "tool", tool_call_id: "toolu_1", content: "4" };
  await ask("chat.completions", { messages: [...messages, message, result] });
  assert.deepEqual(chat.upstream.received.at(-1)?.json["messages"], [
    { role: "user", content: [{ type: "text", text: "Hi" }] },
    { role: "assistant", content },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "4" }] }],
    },
  ]);
});

test("a chat stream reports the position of thinking within the text", async () => {
  serve({ content: [text, sealed, text], usage: counts(10, 20), stop: "end_turn" });
  const { text: body } = await ask("chat.completions", { stream: true });
  assert.match(body, /"thinking_blocks":\[{"type":"redacted_thinking","data":"ZGF0YQ","text_offset":6}\]/);
});

test("moves a cache marker of a whole chat message to its last part for Claude", async () => {
  serve({ content: [text], usage: counts(10, 20), stop: "end_turn" });
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const parts = [text, { ...text, cache_control: { type: "ephemeral" } }];
  const system = { role: "system", content: "Be brief.", ...mark };
  await ask("chat.completions", { messages: [system, { role: "user", content: parts, ...mark }] });
  const { system: sent, messages: turns } = chat.upstream.received.at(-1)?.json ?? {};
  assert.deepEqual(sent, [{ type: "text", text: "Be brief.", ...mark }]);
  assert.deepEqual(turns, [{ role: "user", content: parts }]);
});

test("does not send thinking signed by Gemini to Claude", async () => {
  serve({ content: [text], usage: counts(10, 20), stop: "end_turn" });
  const foreign = { type: "thinking", thinking: "", signature: "gemini:c2ln" };
  const history = [...messages, { role: "assistant", content: [text, foreign] }, ...messages];
  await ask("messages", { messages: history });
  const sent = chat.upstream.received.at(-1)?.json["messages"];
  assert.deepEqual(sent, [...messages, { role: "assistant", content: [text] }, ...messages]);
});

test("a stream in which a second message begins ends with an error and is billed", async () => {
  const first = eventsOf({ content: [text], usage: counts(10, 20), stop: "end_turn" });
  const cut = first.slice(0, first.indexOf("event: message_delta"));
  chat.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(cut + first);
  };
  const { text: body } = await ask("chat.completions", { stream: true });
  assert.match(body, /"error":/);
  assert.doesNotMatch(body, /"finish_reason":"/);
  assert.ok(settlement().costNanoUsd > 0n);
});

test("sends strict functions as strict to Claude within its limits, with a schema that it accepts", async () => {
  serve({ content: [text], usage: counts(10, 20), stop: "end_turn" });
  const properties = { sides: { type: "integer", minimum: 2 }, label: { type: ["string", "null"] } };
  const parameters = { type: "object", properties, required: ["sides", "label"], additionalProperties: false };
  const tools = Array.from({ length: 18 }, (_, n) => ({
    type: "function",
    function: { name: `f${n}`, parameters, ...(n > 0 && { strict: true }) },
  }));
  await ask("chat.completions", { tools });
  const sent = chat.upstream.received.at(-1)?.json["tools"] as { strict?: boolean; input_schema: object }[];
  // Each has one parameter of two types, of which a request may have 16.
  const strict = sent.flatMap((tool, n) => (tool.strict === true ? [n] : []));
  assert.deepEqual(
    strict,
    Array.from({ length: 16 }, (_, n) => n + 1),
  );
  assert.deepEqual(sent[1]?.input_schema, { ...parameters, properties: { ...properties, sides: { type: "integer" } } });
  assert.deepEqual([sent[0]?.input_schema, sent[17]?.input_schema], [parameters, parameters]);
});

for (const type of ["web_fetch_20250910", "web_fetch_20260209", "web_fetch_20260309"]) {
  test(`serves ${type}: caps its uses, holds for its input, and bills only tokens`, async () => {
    const fetched = { type: "web_fetch_result", url: "https://example.com", content: { type: "document" } };
    const content = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: { url: "https://example.com" } },
      { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_1", content: fetched },
      { ...text, citations: [{ type: "char_location", document_index: 0, cited_text: "Hi" }] },
    ];
    const usage = { ...counts(90_000, 20), server_tool_use: { web_fetch_requests: 1 } };
    serve({ content, usage, stop: "end_turn" });
    const response = await ask("messages", { tools: [{ type, name: "web_fetch" }] });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual((response.json() as { content: unknown }).content, content);
    assert.deepEqual(chat.upstream.received.at(-1)?.json["tools"], [
      { type, name: "web_fetch", max_uses: 5, max_content_tokens: 125_000 },
    ]);
    assert.deepEqual(
      [settlement().pricing, settlement().costNanoUsd],
      [Pricing.EXACT, 90_000n * 3_000n + 20n * 15_000n],
    );
    // Five fetches, each read again in every later round.
    assert.ok(hold() >= 15n * 125_000n * 3_000n, `${hold()}`);
  });
}

test("passes the caps that a client sets on the web fetch tool to the provider, and the hold covers them", async () => {
  serve({ content: [text], usage: counts(10, 20), stop: "end_turn" });
  const tool = { type: "web_fetch_20250910", name: "web_fetch", max_uses: 1, max_content_tokens: 300_000 };
  assert.equal((await ask("messages", { tools: [tool] })).status, 200);
  assert.deepEqual(chat.upstream.received.at(-1)?.json["tools"], [tool]);
  assert.ok(hold() >= 300_000n * 3_000n && hold() < 320_000n * 3_000n, `${hold()}`);
});
