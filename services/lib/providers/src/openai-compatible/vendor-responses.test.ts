import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConversationFormat, conversationFormats } from "../../test/formats.ts";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { generationAdapter } from "../registry.ts";

type Json = Record<string, unknown>;

const model = testModel();
const upstream = firstUpstream(model);
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

function adapterOf(format: ConversationFormat) {
  const adapter = generationAdapter(conversationFormats[format], upstream) ?? assert.fail();
  const call = testCall('{"model":"m","input":"Hi","messages":[]}', model, { usageWanted: true });
  return { adapter, call };
}

function whole(format: ConversationFormat, choice: Json): Json {
  const { adapter, call } = adapterOf(format);
  const body = { id: "c", model: "m", choices: [{ index: 0, ...choice }], usage };
  return JSON.parse(adapter.decode(Buffer.from(JSON.stringify(body)), call, upstream).body.toString()) as Json;
}

function streamed(format: ConversationFormat, chunks: readonly (Json | string)[]) {
  const { adapter, call } = adapterOf(format);
  const stream = adapter.openStream(call, upstream);
  const lines = chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`);
  const out = Buffer.concat([...stream.push(Buffer.from(lines.join(""))), ...stream.end(), stream.closing]).toString();
  const events = out
    .split("\n\n")
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: {")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Json);
  return { stream, events };
}

const chunkOf = (delta: Json, more: Json = {}): Json => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, delta, ...more }],
});
const stops = (events: readonly Json[]): unknown =>
  events.map((event) => (event["delta"] as Json | undefined)?.["stop_reason"]).find((reason) => reason !== undefined);

const mistral = [
  {
    type: "thinking",
    thinking: [
      { type: "text", text: "Hm" },
      { type: "reference", reference_ids: [1] },
    ],
  },
  { type: "text", text: "Hi" },
];

test("keeps thinking and text of a response whose content is a list", () => {
  const choice = { message: { role: "assistant", content: mistral }, finish_reason: "stop" };
  assert.deepEqual(whole("messages", choice)["content"], [
    { type: "thinking", thinking: "Hm", signature: "" },
    { type: "text", text: "Hi" },
  ]);
  const [reasoning, message] = whole("responses", choice)["output"] as Json[];
  assert.deepEqual(reasoning?.["summary"], [{ type: "summary_text", text: "Hm" }]);
  assert.equal((message?.["content"] as Json[] | undefined)?.[0]?.["text"], "Hi");
});

test("keeps thinking and text of a stream whose content is a list", () => {
  const chunks = [...mistral.map((part) => chunkOf({ content: [part] })), chunkOf({ content: "!" })];
  const end = [chunkOf({ content: "" }, { finish_reason: "stop" }), { choices: [], usage }, "[DONE]"];
  const { events, stream } = streamed("messages", [...chunks, ...end]);
  const deltas = events.filter(({ type }) => type === "content_block_delta").map(({ delta }) => delta);
  assert.deepEqual(deltas, [
    { type: "thinking_delta", thinking: "Hm" },
    { type: "text_delta", text: "Hi" },
    { type: "text_delta", text: "!" },
  ]);
  assert.equal(stream.delivered.text, "HmHi!");
});

test("reads reasoning from each vendor's field, also if a field of another name is empty", () => {
  for (const message of [
    { reasoning: "Hm" },
    { reasoning_content: "", reasoning: "Hm" },
    { reasoning: null, reasoning_details: [{ type: "reasoning.text", text: "Hm" }] },
  ]) {
    const { content } = whole("messages", { message: { content: "Hi", ...message }, finish_reason: "stop" });
    assert.equal((content as Json[])[0]?.["thinking"], "Hm", JSON.stringify(message));
  }
});

const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const ends: readonly [finish: Json, calls: boolean, messages: string, status: string][] = [
  [{ finish_reason: "stop" }, true, "tool_use", "completed"],
  [{ finish_reason: "" }, true, "tool_use", "completed"],
  [{ finish_reason: null }, true, "tool_use", "completed"],
  [{}, true, "tool_use", "completed"],
  [{ finish_reason: "eos" }, false, "end_turn", "completed"],
  [{ finish_reason: "model_length" }, false, "model_context_window_exceeded", "incomplete"],
  [{ finish_reason: "insufficient_system_resource" }, false, "refusal", "incomplete"],
  [{ finish_reason: "toString" }, false, "refusal", "incomplete"],
  [{ finish_reason: "error", error: { code: 502, message: "Provider gone" } }, false, "refusal", "incomplete"],
];

for (const [finish, calls, reason, status] of ends) {
  test(`finish reason ${JSON.stringify(finish)}${calls ? " beside calls" : ""} becomes ${reason} and ${status}`, () => {
    const message = calls ? { content: null, tool_calls: [call] } : { content: "Hi" };
    assert.equal(whole("messages", { message, ...finish })["stop_reason"], reason);
    assert.equal(whole("responses", { message, ...finish })["status"], status);
    const delta = calls ? { tool_calls: [{ index: 0, ...call }] } : { content: "Hi" };
    const { events } = streamed("messages", [chunkOf(delta), chunkOf({}, finish), { choices: [], usage }, "[DONE]"]);
    assert.equal(stops(events), reason);
  });
}

test("an unknown finish reason includes the provider's explanation", () => {
  const choice = { message: { content: "" }, finish_reason: "error", error: { message: "Provider gone" } };
  const text = JSON.stringify(whole("messages", choice)["content"]);
  assert.match(text, /error.*Provider gone/);
});

test("log probabilities reach clients of the Responses format, streamed or not", () => {
  const logprobs = { content: [{ token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] }] };
  const done = whole("responses", { message: { content: "Hi" }, logprobs, finish_reason: "stop" });
  const parts = (response: unknown): Json[] => ((response as Json)["output"] as Json[])[0]?.["content"] as Json[];
  assert.deepEqual(parts(done)[0]?.["logprobs"], logprobs.content);
  const end = [chunkOf({}, { finish_reason: "stop" }), { choices: [], usage }, "[DONE]"];
  const { events } = streamed("responses", [chunkOf({ content: "Hi" }, { logprobs }), ...end]);
  const delta = events.find(({ type }) => type === "response.output_text.delta");
  assert.deepEqual(delta?.["logprobs"], logprobs.content);
  assert.deepEqual(parts(events.at(-1)?.["response"])[0]?.["logprobs"], logprobs.content);
});

test("reads usage from Groq's and Moonshot's fields and passes it on unchanged", () => {
  for (const place of [{ x_groq: { id: "r", usage } }, { choices: [{ index: 0, delta: {}, usage }] }]) {
    for (const format of ["chat.completions", "messages"] as const) {
      const last = { ...chunkOf({}, { finish_reason: "stop" }), ...place };
      const { stream, events } = streamed(format, [chunkOf({ content: "Hi" }), last, "[DONE]"]);
      assert.deepEqual(
        stream.usage?.units.map(({ quantity }) => Number(quantity)),
        [3, 4],
        JSON.stringify(place),
      );
      if (format === "chat.completions") assert.deepEqual(events.at(-1), last);
    }
  }
});

test("a chunk without an id, such as one about the prompt, does not set the response's id", () => {
  const about = { id: "", model: "", choices: [], prompt_filter_results: [] };
  const chunks = [about, chunkOf({ content: "Hi" }), chunkOf({}, { finish_reason: "stop" }), { choices: [], usage }];
  const [start] = streamed("messages", [...chunks, "[DONE]"]).events;
  const message = start?.["message"] as Json | undefined;
  assert.deepEqual([message?.["id"], message?.["model"]], ["msg_c", "m"]);
});
