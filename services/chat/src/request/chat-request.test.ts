import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { readChatRequest } from "./chat-request.ts";
import { opaque } from "./opaque.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - &m { id: plain, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 9, max_output_tokens: 9, price: { input_tokens: 1, output_tokens: 1 }, upstreams: [{ provider: p }] }
  - { <<: *m, id: thinker, reasoning: {} }`,
  {},
);
const base = { model: "plain", messages: [{ role: "user", content: "Hi" }] };

function known(id: string): Model {
  return catalog.models.get(id) ?? assert.fail(`the catalogue has no ${id}`);
}

/** The rejected field, or undefined when the request is accepted. */
function refusedField(fields: object, model = "plain"): string | undefined {
  const body = Buffer.from(JSON.stringify({ ...base, ...fields }));
  try {
    readChatRequest(readJsonObject(body, { opaque }), known(model));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.code, "invalid_request");
    assert.ok(error.param !== undefined && error.message.startsWith(`${error.param}: `), error.message);
    return error.param;
  }
}

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const part = (...parts: unknown[]) => user(parts);
const png = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]).toString("base64")}`;
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

const accepted: [what: string, fields: object][] = [
  [
    "every field of the contract",
    {
      stream: true,
      temperature: 1,
      top_p: 1,
      max_tokens: 1,
      max_completion_tokens: 1,
      tools: [{ type: "function", function: { name: "f" } }],
      tool_choice: "auto",
      parallel_tool_calls: false,
      response_format: { type: "json_object" },
      stop: ["a"],
      n: 2,
      seed: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: { 50256: -100 },
      logprobs: true,
      top_logprobs: 20,
      reasoning_effort: "low",
      verbosity: "low",
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
      prediction: { type: "content", content: "x" },
      stream_options: { include_usage: true },
      store: true,
      metadata: { a: "b" },
      user: "u",
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
    },
  ],
  [
    "null for every optional field",
    {
      stream: null,
      temperature: null,
      top_p: null,
      max_tokens: null,
      max_completion_tokens: null,
      tools: null,
      tool_choice: null,
      parallel_tool_calls: null,
      response_format: null,
      stop: null,
      n: null,
      seed: null,
      frequency_penalty: null,
      presence_penalty: null,
      logit_bias: null,
      logprobs: null,
      top_logprobs: null,
      reasoning_effort: null,
      verbosity: null,
      modalities: null,
      audio: null,
      prediction: null,
      stream_options: null,
      store: null,
      metadata: null,
      user: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
    },
  ],
  [
    "unknown fields",
    { service_tier: "auto", safety_identifier: "x", enable_thinking: true, top_k: 5, verbosity_hint: {} },
  ],
  ["temperature 0", { temperature: 0 }],
  ["temperature -0", { temperature: -0 }],
  ["temperature 2", { temperature: 2 }],
  ["top_p 0", { top_p: 0 }],
  ["penalties at their limits", { frequency_penalty: -2, presence_penalty: 2 }],
  ["stop as text", { stop: "END" }],
  ["an empty stop list", { stop: [] }],
  ["n 128", { n: 128 }],
  ["a negative seed", { seed: -5 }],
  ["a seed beyond 2^53", { seed: 2 ** 60 }],
  ["an unknown effort", { reasoning_effort: "ultra" }],
  ["a tool given as text", { tools: ['{"type":"function","function":{"name":"f"}}'] }],
  ["a custom tool", { tools: [{ type: "custom", custom: { name: "c" } }] }],
  ["a named tool choice", { tool_choice: { type: "function", function: { name: "f" } } }],
  [
    "JSON schema output",
    { response_format: { type: "json_schema", json_schema: { name: "s", schema: {}, strict: true } } },
  ],
  [
    "a tool schema with a pattern of 1 MB",
    { tools: [{ type: "function", function: { name: "f", parameters: { pattern: `(${"a+".repeat(5e5)})+$` } } }] },
  ],
  [
    "a developer message",
    {
      messages: [
        { role: "developer", content: "x" },
        { role: "user", content: "y" },
      ],
    },
  ],
  [
    "null content with tool calls",
    {
      messages: [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "r" },
      ],
    },
  ],
  ["absent content with tool calls", { messages: [{ role: "assistant", tool_calls: [call] }] }],
  [
    "a response with a refusal part",
    { messages: [{ role: "assistant", content: [{ type: "refusal", refusal: "no" }] }] },
  ],
  [
    "a tool result in parts",
    { messages: [{ role: "tool", tool_call_id: "c", content: [{ type: "text", text: "r" }] }] },
  ],
  ["a legacy function message", { messages: [{ role: "function", name: "f", content: null }] }],
  ["empty text", user("")],
  [
    "text and an image",
    part({ type: "text", text: "x" }, { type: "image_url", image_url: { url: "https://a.test/x.png", detail: "low" } }),
  ],
  ["an image as a data URL", part({ type: "image_url", image_url: { url: png } })],
  ["audio as base64", part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })],
  ["audio as a URL", part({ type: "input_audio", input_audio: { data: "https://a.test/x.mp3", format: "mp3" } })],
  ["audio as a data URL", part({ type: "input_audio", input_audio: { data: "data:;base64,AAAA" } })],
  ["a video", part({ type: "video_url", video_url: { url: "https://a.test/x.mp4" } })],
  ["a video as frames", part({ type: "video", video: ["https://a.test/1.png", "https://a.test/2.png"] })],
  ["an audio URL", part({ type: "audio_url", audio_url: { url: "https://a.test/x.mp3" } })],
  ["a file", part({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "x.pdf" } })],
  ["a part of an unknown type", part({ type: "hologram", hologram: {} })],
];
for (const [what, fields] of accepted) {
  test(`accepts a request with ${what}`, () => assert.equal(refusedField(fields), undefined));
}

const refused: [fields: object, param: string][] = [
  [{ model: undefined }, "model"],
  [{ model: 5 }, "model"],
  [{ model: "" }, "model"],
  [{ model: "x".repeat(300) }, "model"],
  [{ messages: undefined }, "messages"],
  [{ messages: [] }, "messages"],
  [{ messages: "Hi" }, "messages"],
  [{ messages: Array(100_001).fill(base.messages[0]) }, "messages"],
  [{ messages: [{ content: "x" }] }, "messages[0].role"],
  [{ messages: [base.messages[0], { role: "robot", content: "x" }] }, "messages[1].role"],
  [user(null), "messages[0].content"],
  [user(undefined), "messages[0].content"],
  [user(5), "messages[0].content"],
  [user([]), "messages[0].content"],
  [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].tool_call_id"],
  [{ messages: [{ role: "tool", content: "x", tool_call_id: 5 }] }, "messages[0].tool_call_id"],
  [{ messages: [{ role: "system", content: null }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: "x", name: 5 }] }, "messages[0].name"],
  [
    { messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: {} } }] }] },
    "messages[0].tool_calls[0].function.arguments",
  ],
  [part("text"), "messages[0].content[0]"],
  [part({ text: "x" }), "messages[0].content[0].type"],
  [part({ type: "text" }), "messages[0].content[0].text"],
  [part({ type: "image_url", image_url: "https://a.test/x.png" }), "messages[0].content[0].image_url"],
  [part({ type: "image_url", image_url: { url: "ftp://a.test/x.png" } }), "messages[0].content[0].image_url.url"],
  [part({ type: "image_url", image_url: { url: "file:///etc/passwd" } }), "messages[0].content[0].image_url.url"],
  [
    part({ type: "image_url", image_url: { url: "data:image/png;base64,####" } }),
    "messages[0].content[0].image_url.url",
  ],
  [part({ type: "image_url", image_url: { url: "data:image/png,hello" } }), "messages[0].content[0].image_url.url"],
  [
    part({
      type: "image_url",
      image_url: { url: `data:image/png;base64,${Buffer.from("<svg xmlns='http://x'/>").toString("base64")}` },
    }),
    "messages[0].content[0].image_url.url",
  ],
  [
    part({
      type: "image_url",
      image_url: { url: `data:text/html;base64,${Buffer.from("<html></html>").toString("base64")}` },
    }),
    "messages[0].content[0].image_url.url",
  ],
  [
    part({ type: "text", text: "x" }, { type: "input_audio", input_audio: { data: "not base64!" } }),
    "messages[0].content[1].input_audio.data",
  ],
  [part({ type: "video_url", video_url: { url: "x.mp4" } }), "messages[0].content[0].video_url.url"],
  [{ web_search_options: {} }, "web_search_options"],
  [{ best_of: 4 }, "best_of"],
  [{ deferred: true }, "deferred"],
  [{ models: ["a", "b"] }, "models"],
  [{ stream: "true" }, "stream"],
  [{ stream: 1 }, "stream"],
  [{ temperature: -0.1 }, "temperature"],
  [{ temperature: 2.01 }, "temperature"],
  [{ temperature: "1" }, "temperature"],
  [{ top_p: 1.5 }, "top_p"],
  [{ top_p: -1 }, "top_p"],
  [{ frequency_penalty: 3 }, "frequency_penalty"],
  [{ presence_penalty: -2.5 }, "presence_penalty"],
  [{ max_tokens: 0 }, "max_tokens"],
  [{ max_tokens: -1 }, "max_tokens"],
  [{ max_tokens: 1.5 }, "max_tokens"],
  [{ max_tokens: "9" }, "max_tokens"],
  [{ max_completion_tokens: 0 }, "max_completion_tokens"],
  [{ tools: "search" }, "tools"],
  [{ tools: ["search"] }, "tools[0]"],
  [{ tools: ["[]"] }, "tools[0]"],
  [{ tools: [5] }, "tools[0]"],
  [{ tools: [{ type: "function" }] }, "tools[0].function"],
  [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name"],
  [{ tool_choice: 5 }, "tool_choice"],
  [{ parallel_tool_calls: "no" }, "parallel_tool_calls"],
  [{ response_format: "json" }, "response_format"],
  [{ response_format: {} }, "response_format.type"],
  [{ stop: 5 }, "stop"],
  [{ stop: Array(10_000).fill("x") }, "stop"],
  [{ stop: [5] }, "stop[0]"],
  [{ n: 0 }, "n"],
  [{ n: 129 }, "n"],
  [{ n: 1.5 }, "n"],
  [{ seed: 1.5 }, "seed"],
  [{ seed: "1" }, "seed"],
  [{ logit_bias: { 1: -1e9 } }, "logit_bias.1"],
  [{ logit_bias: [1] }, "logit_bias"],
  [{ logit_bias: { 1: "x" } }, "logit_bias.1"],
  [{ logprobs: 1 }, "logprobs"],
  [{ top_logprobs: 5 }, "top_logprobs"],
  [{ logprobs: true, top_logprobs: 21 }, "top_logprobs"],
  [{ reasoning_effort: 5 }, "reasoning_effort"],
  [{ verbosity: "max" }, "verbosity"],
  [{ modalities: "text" }, "modalities"],
  [{ audio: {} }, "audio"],
  [{ modalities: ["text"], audio: { voice: "x" } }, "audio"],
  [{ prediction: "x" }, "prediction"],
  [{ stream_options: { include_usage: true } }, "stream_options"],
  [{ stream: true, stream_options: { include_usage: 1 } }, "stream_options.include_usage"],
  [{ store: "no" }, "store"],
  [{ metadata: "x" }, "metadata"],
  [{ user: 5 }, "user"],
  [{ prompt_cache_key: 5 }, "prompt_cache_key"],
  [{ prompt_cache_retention: 5 }, "prompt_cache_retention"],
];
for (const [fields, param] of refused) {
  test(`rejects ${param} of ${JSON.stringify(fields).slice(0, 70)}`, () => assert.equal(refusedField(fields), param));
}

test("for a reasoning model ignores and removes the eleven sampling fields, and validates the others", () => {
  const odd = {
    temperature: 9,
    top_p: "x",
    stop: 1,
    frequency_penalty: {},
    presence_penalty: [],
    logit_bias: 1,
    logprobs: 1,
    top_logprobs: -1,
    modalities: 1,
    audio: 1,
    prediction: 1,
  };
  assert.equal(Object.keys(odd).length, 11);
  const body = Buffer.from(JSON.stringify({ ...base, ...odd }));
  const request = readChatRequest(readJsonObject(body, { opaque }), known("thinker"));
  assert.equal(request.body.toString(), JSON.stringify(base));
  assert.deepEqual(request.fields, base);
  assert.equal(refusedField({ max_tokens: 0 }, "thinker"), "max_tokens");
  assert.equal(refusedField({ stream_options: {} }, "thinker"), "stream_options");
});

test("a request that needs no change keeps its bytes", () => {
  const body = Buffer.from(
    '{ "model":"plain","messages":[{"role":"user","content":"\\u00e9"}],"seed":9007199254740993 }',
  );
  assert.equal(readChatRequest(readJsonObject(body, { opaque }), known("plain")).body, body);
});

test("does not request a service tier with prices of its own", () => {
  const read = (serviceTier: unknown) => {
    const body = Buffer.from(JSON.stringify({ ...base, service_tier: serviceTier }));
    return readChatRequest(readJsonObject(body, { opaque }), known("plain")).fields["service_tier"];
  };
  assert.equal(read("auto"), "auto");
  assert.equal(read("default"), "default");
  assert.equal(read("priority"), undefined);
  assert.equal(read("flex"), undefined);
});

test("does not request a longer cache lifetime at another price", () => {
  const read = (promptCacheOptions: unknown) => {
    const body = Buffer.from(JSON.stringify({ ...base, prompt_cache_options: promptCacheOptions }));
    return readChatRequest(readJsonObject(body, { opaque }), known("plain")).fields["prompt_cache_options"];
  };
  assert.deepEqual(read({ mode: "explicit", ttl: "30m" }), { mode: "explicit", ttl: "30m" });
  assert.deepEqual(read({ mode: "implicit" }), { mode: "implicit" });
  assert.equal(read({ ttl: "12h" }), undefined);
});

test("removes null at every level, except for empty content and opaque members", () => {
  const schema = { type: "object", properties: { a: { enum: ["x", null], default: null } } };
  const body = Buffer.from(
    `{"model":"plain","seed":9007199254740993,"user":null,"tool_choice":null,"messages":[{"role":"user","content":"Hi","name":null},{"role":"assistant","content":null,"refusal":null,"function_call":null,"tool_calls":[${JSON.stringify(call)}]},{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","description":null,"strict":null,"parameters":${JSON.stringify(schema)}}}],"stream_options":null,"response_format":null}`,
  );
  const request = readChatRequest(readJsonObject(body, { opaque }), known("plain"));
  const expected = {
    model: "plain",
    seed: 2 ** 53,
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "r" },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: schema } }],
  };
  assert.deepEqual(JSON.parse(request.body.toString()), expected);
  assert.deepEqual(request.fields, expected);
  assert.match(request.body.toString(), /"seed":9007199254740993/);
});

test("converts a tool choice given as a bare name to an object for upstreams", () => {
  const tools = [
    { type: "function", function: { name: "f" } },
    '{"type":"function","function":{"name":"g"}}',
    { type: "custom", custom: { name: "c" } },
    { type: "function", function: { name: "auto" } },
  ];
  const choiceOf = (toolChoice: unknown): unknown => {
    const body = Buffer.from(JSON.stringify({ ...base, tools, tool_choice: toolChoice }));
    const request = readChatRequest(readJsonObject(body, { opaque }), known("plain"));
    const sent = JSON.parse(request.body.toString()) as { tool_choice: unknown };
    assert.deepEqual(request.fields["tool_choice"], sent.tool_choice);
    return sent.tool_choice;
  };
  assert.deepEqual(choiceOf("f"), { type: "function", function: { name: "f" } });
  assert.deepEqual(choiceOf("g"), { type: "function", function: { name: "g" } });
  assert.deepEqual(choiceOf("c"), { type: "custom", custom: { name: "c" } });
  for (const word of ["auto", "none", "required", "unknown tool"]) assert.equal(choiceOf(word), word);
});
