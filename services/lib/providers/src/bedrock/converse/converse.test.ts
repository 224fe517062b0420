import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { firstUpstream, testCall, testModel } from "../../../test/support.ts";
import { UpstreamFailure } from "../../failure.ts";
import { chatFormat } from "../../formats/chat/format.ts";
import { messagesFormat } from "../../formats/messages/format.ts";
import { generationAdapter } from "../../registry.ts";
import { ConverseReader } from "./reader.ts";
import { converseReport } from "./usage.ts";

const model = testModel("", "bedrock");
const nova: Upstream = { ...firstUpstream(model), model: "us.amazon.nova-pro-v1:0" };
const { signal } = new AbortController();
const encoded = async (format: typeof chatFormat, fields: object) => {
  const adapter = generationAdapter(format, nova) ?? assert.fail();
  const call = await adapter.encode(testCall(JSON.stringify(fields), model), nova, signal);
  return { path: call.path, body: JSON.parse(call.body.toString()) };
};
const png = "iVBORw0KGgo=";

test("a conversation with tools, results and an image is sent to Converse, with the settings that it has", async () => {
  const { path, body } = await encoded(chatFormat, {
    model: "m",
    max_completion_tokens: 50,
    temperature: 0.5,
    seed: 1,
    stop: ["END", " "],
    tools: [{ type: "function", function: { name: "look", parameters: { properties: {} } } }],
    tool_choice: "required",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call:1", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "call:1", content: "rain" },
    ],
  });
  assert.equal(path, "/model/us.amazon.nova-pro-v1%3A0/converse");
  assert.deepEqual(body, {
    messages: [
      { role: "user", content: [{ image: { format: "png", source: { bytes: png } } }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "call_1", name: "look", input: { a: 1 } } }] },
      {
        role: "user",
        content: [{ toolResult: { toolUseId: "call_1", content: [{ text: "rain" }], status: "success" } }],
      },
    ],
    system: [{ text: "Be brief." }],
    inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ["END"] },
    toolConfig: {
      tools: [{ toolSpec: { name: "look", inputSchema: { json: { properties: {}, type: "object" } } } }],
      toolChoice: { any: {} },
    },
  });
});

test("thinking, blank text and a document without text are sent as Converse accepts them", async () => {
  const source = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };
  const { path, body } = await encoded(messagesFormat, {
    model: "m",
    max_tokens: 10,
    stream: true,
    messages: [
      { role: "user", content: [{ type: "document", source, title: "A: report" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: " " },
        ],
      },
      { role: "user", content: "Next" },
    ],
  });
  assert.equal(path, "/model/us.amazon.nova-pro-v1%3A0/converse-stream");
  const [first, second] = body.messages;
  assert.deepEqual(first.content[1], { text: "." });
  assert.match(first.content[0].document.name, /^A report [A-Za-z0-9()[\] -]+$/);
  assert.deepEqual(second.content, [{ text: "." }]);
});

function eventsOf(reader: ConverseReader, events: readonly [string, object][]) {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  return new SseDecoder().push(Buffer.from(text)).flatMap((event) => reader.event(event));
}

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 115,
  cacheReadInputTokens: 90,
  cacheWriteInputTokens: 10,
};

test("a stream has the same content, end and usage as the whole response", () => {
  const content = [
    { reasoningContent: { reasoningText: { text: "hm" } } },
    { text: "Hi" },
    { toolUse: { toolUseId: "t1", name: "look", input: { a: 1 } } },
  ];
  const whole = new ConverseReader((name) => name);
  const body = { output: { message: { role: "assistant", content } }, stopReason: "tool_use", usage };
  const expected = whole.body(Buffer.from(JSON.stringify(body)));
  const streamed = new ConverseReader((name) => name);
  const events = eventsOf(streamed, [
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "hm" } } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "s" } } }],
    ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Hi" } }],
    ["contentBlockStop", { contentBlockIndex: 1 }],
    ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t1", name: "look" } } }],
    ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":1}' } } }],
    ["messageStop", { stopReason: "tool_use" }],
    ["metadata", { usage, metrics: {} }],
  ]);
  assert.deepEqual(events, expected);
  assert.equal(streamed.ended, true);
  assert.deepEqual(streamed.usage, whole.usage);
});

test("usage is counted once in each unit, an hour's cache writes on their own, and a new counter is not lost", () => {
  const report = converseReport({
    ...usage,
    cacheDetails: [
      { ttl: "1h", inputTokens: 4 },
      { ttl: "5m", inputTokens: 6 },
    ],
    serverToolUsage: { webSearchRequests: 2 },
  });
  const units = Object.fromEntries(report?.units.map(({ name, quantity }) => [name, Number(quantity)]) ?? []);
  assert.deepEqual(units, {
    input_tokens: 10,
    cached_input_tokens: 90,
    cache_write_5m_tokens: 6,
    cache_write_1h_tokens: 4,
    output_tokens: 5,
    webSearchRequests: 2,
  });
  assert.equal(converseReport({ inputTokens: -1, outputTokens: 5 }), undefined);
});

test("a stream without its stop is not complete, and an unknown reason is never shown as a normal end", () => {
  const cut = new ConverseReader((name) => name);
  eventsOf(cut, [["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }]]);
  assert.equal(cut.end(), undefined);
  const odd = new ConverseReader((name) => name);
  const stops = eventsOf(odd, [["messageStop", { stopReason: "malformed_tool_use" }]]);
  assert.deepEqual(
    stops.map(({ type }) => type),
    ["refusal", "stop"],
  );
  assert.deepEqual(odd.end(), [{ type: "end" }]);
  assert.throws(() => new ConverseReader((name) => name).body(Buffer.from('{"message":"x"}')), UpstreamFailure);
});
