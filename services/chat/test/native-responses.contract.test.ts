import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { catalogOf, completion, sendJson } from "./fixtures.ts";
import { startChat } from "./support.ts";

const native = (url: string): string =>
  catalogOf(url)
    .replace(
      "\nmodels:",
      `
  own: { protocol: openai, base_url: "${url}/own/v1", api_key: sk-upstream-secret-own, responses_api: true }
  spare: { protocol: openai, base_url: "${url}/spare/v1", api_key: sk-upstream-secret-spare, responses_api: true }
  bare: { protocol: openai, base_url: "${url}/bare/v1", api_key: sk-upstream-secret-bare, responses_api: true }
models:`,
    )
    .concat(`
  - &native { <<: *plain, id: native, upstreams: [{ provider: own, model: real-name }] }
  - { <<: *native, id: reasoner, reasoning: { efforts: [low], shown: false }, upstreams: [{ provider: own }] }
  - { <<: *native, id: searcher, context_tokens: 1000000, price: { input_tokens: 1, output_tokens: 2, web_searches: 0.01 },
      search: { max_uses: 3 }, upstreams: [{ provider: own }] }
  - { <<: *native, id: mixed, price: { input_tokens: 1, output_tokens: 2, web_searches: 0.01 }, upstreams: [{ provider: own }, { provider: one, priority: 1 }] }
  - { <<: *native, id: two-native, upstreams: [{ provider: own }, { provider: spare, priority: 1 }] }
  - { <<: *native, id: bare, upstreams: [{ provider: bare }] }
  - { <<: *native, id: not-there, upstreams: [{ provider: own, responses_api: false }] }
`);

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 26,
};
const message = (text: string) => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations: [], logprobs: [], text }],
});
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAAABsealed" };
const response = (more: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "real-name-2026",
  output: [reasoning, message("Hello.")],
  // A member that no document has, and a number that no double can represent.
  future: 12345678901234567890n.toString(),
  usage,
  ...more,
});
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`;
const begun = event("response.created", { response: response({ status: "in_progress", output: [], usage: null }) });
const delta = (text: string): string => event("response.output_text.delta", { item_id: "msg_1", delta: text });
const completed = (more: object = {}): string => event("response.completed", { response: response(more) });

type Respond = (response: ServerResponse, path: string) => void;
let respond: Respond;
let sent: { path: string; json: Record<string, unknown>; body: string }[] = [];
let upstream: TestUpstream;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

before(async () => {
  upstream = resources.use(
    await startUpstream(({ json, path, body }, answer) => {
      sent.push({ path, json: json as Record<string, unknown>, body: body.toString("utf8") });
      respond(answer, path);
    }),
  );
  harness = resources.use(await startChat({ catalog: native(upstream.url) }));
});
beforeEach(() => {
  sent = [];
  respond = (answer) => sendJson(answer, 200, response());
});
after(() => resources.disposeAsync());

const call = (fields: object = {}) => harness.call("responses", { model: "native", input: "Hi", ...fields });
const settled = () => harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
const quantities = () => Object.fromEntries(settled().units.map(({ name, quantity }) => [name, Number(quantity)]));
const streams =
  (...events: string[]): Respond =>
  (answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.end(events.join(""));
  };

test("passes every field to a provider with the Responses API, and its response back, byte for byte", async () => {
  const body = JSON.stringify(response(), undefined, 1);
  respond = (answer) => sendJson(answer, 200, body);
  const fields = {
    text: { verbosity: "low" },
    prompt_cache_key: "k",
    include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto" },
    metadata: { team: "a" },
    truncation: "auto",
    store: false,
    input: [{ role: "user", content: "Hi" }, reasoning],
  };
  const { status, text } = await call(fields);
  assert.equal(status, 200);
  assert.equal(text, body);
  const [{ path, json } = assert.fail()] = sent;
  assert.equal(path, "/own/v1/responses");
  assert.deepEqual(json, { ...fields, model: "real-name" });
  assert.deepEqual(quantities(), { cached_input_tokens: 4, input_tokens: 16, output_tokens: 6 });
  assert.equal(settled().pricing, Pricing.EXACT);
});

test("stores nothing at the provider, and requests only what has a price", async () => {
  const options = { prompt_cache_options: { ttl: "24h" }, service_tier: "priority" };
  await call({ store: true, temperature: null, ...options });
  assert.deepEqual(sent[0]?.json, { model: "real-name", input: "Hi", store: false });
  await call({ service_tier: "default" });
  assert.deepEqual(sent[1]?.json, { model: "real-name", input: "Hi", store: false, service_tier: "default" });
});

test("leaves a number in the input as it was sent", async () => {
  const input =
    '[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}","n":1.10}]';
  await harness.call("responses", Buffer.from(`{"model":"native","input":${input}}`));
  assert.ok(sent[0]?.body.includes(input), sent[0]?.body);
});

test("passes a stream's events on unchanged, and adds the cost to the last", async () => {
  const unknown = event("response.new_kind.happened", { detail: { a: [1] } });
  const events = [begun, unknown, delta("Hel"), delta("lo.")];
  respond = streams(...events, completed());
  const { text } = await call({ stream: true });
  assert.ok(text.startsWith(events.join("")), text);
  const last = JSON.parse(/data: (.*)\n\n$/.exec(text)?.[1] ?? "") as { response: { usage: { cost: number } } };
  const cost = Number(settled().costNanoUsd) / 1e9;
  assert.deepEqual(last.response, { ...response(), usage: { ...usage, cost } });
  assert.ok(cost > 0);
});

for (const [status, details] of [
  ["incomplete", { reason: "max_output_tokens" }],
  ["incomplete", { reason: "content_filter" }],
] as const)
  test(`bills an incomplete response (${details.reason}) by its usage`, async () => {
    respond = streams(
      begun,
      delta("x"),
      event("response.incomplete", { response: response({ status, incomplete_details: details }) }),
    );
    const { text } = await call({ stream: true });
    assert.match(text, /event: response\.incomplete/);
    assert.deepEqual(quantities(), { cached_input_tokens: 4, input_tokens: 16, output_tokens: 6 });
    assert.equal(settled().outcome, Outcome.COMPLETED);
  });

const failed = (more: object = {}): string => {
  const error = { code: "server_error", message: "It failed with sk-upstream-secret-own." };
  return event("response.failed", { response: response({ status: "failed", error, ...more }) });
};

test("passes a failed response on without secrets, and bills the usage that it reports", async () => {
  respond = streams(begun, delta("x"), failed());
  const { text } = await call({ stream: true });
  const last = JSON.parse(/event: response\.failed\ndata: (.*)\n/.exec(text)?.[1] ?? "");
  assert.equal(last.type, "response.failed");
  assert.equal(last.response.error.code, "server_error");
  assert.doesNotMatch(text, /sk-upstream/);
  assert.deepEqual(quantities(), { cached_input_tokens: 4, input_tokens: 16, output_tokens: 6 });
  assert.equal(settled().outcome, Outcome.FAILED);
});

test("calls the next provider when a response fails before it has output", async () => {
  const quota = { type: "error", code: "insufficient_quota", message: "You exceeded your current quota." };
  respond = (answer, path) => {
    if (path.startsWith("/own")) streams(begun, event("error", quota), failed({ usage: null }))(answer, path);
    else streams(begun, delta("Hello."), completed())(answer, path);
  };
  const { text, header } = await call({ model: "two-native", stream: true });
  assert.equal(header("x-gateway-attempts"), "2");
  assert.equal(text.match(/event: response\.created/g)?.length, 1);
  assert.match(text, /event: response\.completed/);
});

test("holds at most eight events until there is output, so that a provider that sends none takes no more memory", async () => {
  const begunOften = Array.from({ length: 9 }, () => begun);
  respond = (answer, path) => streams(...begunOften, event("error", { message: "Overloaded." }))(answer, path);
  const { text, header } = await call({ model: "two-native", stream: true });
  assert.equal(header("x-gateway-attempts"), "1");
  assert.equal(text.match(/event: response\.created/g)?.length, 9);
});

test("bills a response that was cut off by what it showed, and unseen reasoning at its bound", async () => {
  respond = streams(begun, delta("one two three"));
  const { text } = await call({ model: "native", stream: true, max_output_tokens: 500 });
  assert.match(text, /event: error/);
  assert.equal(settled().pricing, Pricing.ESTIMATED);
  assert.ok((quantities()["output_tokens"] ?? 0) < 20);
  await call({ model: "reasoner", stream: true, max_output_tokens: 500 });
  assert.equal(quantities()["output_tokens"], 500);
});

test("makes a stream of a response that the provider did not stream, and one response of a stream", async () => {
  const call1 = { id: "fc_1", type: "function_call", status: "completed", call_id: "c", name: "f", arguments: "{}" };
  respond = (answer) => sendJson(answer, 200, response({ output: [reasoning, message("Hello."), call1] }));
  const { text } = await call({ stream: true });
  for (const type of ["created", "output_text.delta", "function_call_arguments.done", "completed"])
    assert.match(text, new RegExp(`event: response\\.${type}`));
  respond = streams(begun, delta("Hello."), completed());
  assert.deepEqual(JSON.parse((await call()).text), response());
});

test("sends the provider neither reasoning that it did not make nor a signature inside an id", async () => {
  const sealed = Buffer.from(JSON.stringify({ thinking: "Hm", signature: "" })).toString("base64url");
  const id = `call_1_thoughtsig_${Buffer.from("sig").toString("base64url")}`;
  await call({
    input: [
      { role: "user", content: "Hi" },
      { type: "reasoning", id: "rs_2", summary: [], encrypted_content: sealed },
      { type: "item_reference", id: "rs_3" },
      { type: "function_call", call_id: id, name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: "x" },
      reasoning,
    ],
  });
  assert.deepEqual(sent[0]?.json["input"], [
    { role: "user", content: "Hi" },
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "x" },
    reasoning,
  ]);
});

const file = (part: object) => ({ input: [{ role: "user", content: [part] }] });
const shell = { type: "shell", environment: { type: "container_auto" } };
const refused: readonly [title: string, fields: object, param: string][] = [
  ["a search without a price", { tools: [{ type: "web_search" }] }, "tools[0].type"],
  ["a search that not every provider has", { model: "mixed", tools: [{ type: "web_search" }] }, "tools[0].type"],
  ["a file search", { model: "searcher", tools: [{ type: "file_search" }] }, "tools[0].type"],
  ["a code interpreter", { model: "searcher", tools: [{ type: "code_interpreter" }] }, "tools[0].type"],
  ["a provider's connection to other servers", { model: "searcher", tools: [{ type: "mcp" }] }, "tools[0].type"],
  ["an image generation", { model: "searcher", tools: [{ type: "image_generation" }] }, "tools[0].type"],
  ["a shell in the provider's container", { model: "searcher", tools: [shell] }, "tools[0].type"],
  ["a compaction by the provider", { context_management: [{ type: "compaction" }] }, "context_management"],
  [
    "a file stored in the operator's account",
    file({ type: "input_file", file_id: "file-1" }),
    "input[0].content[0].file_id",
  ],
  [
    "an image stored in the operator's account",
    file({ type: "input_image", image_url: "https://x.test/a.png", file_id: "file-1" }),
    "input[0].content[0].file_id",
  ],
  ["an item stored in the operator's account", { input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]"],
  ["a previous response", { previous_response_id: "resp_1" }, "previous_response_id"],
  ["too many tool calls", { max_tool_calls: 5_000 }, "max_tool_calls"],
];

for (const [title, fields, param] of refused)
  test(`rejects ${title} before the provider is called, naming ${param}`, async () => {
    const { status, text } = await call(fields);
    assert.equal(status, 400, text);
    assert.equal(JSON.parse(text).error.param, param, text);
    assert.deepEqual(sent, []);
  });

test("serves tools that the client runs and only this API has", async () => {
  const tools = [{ type: "apply_patch" }, { type: "local_shell" }, { type: "shell", environment: { type: "local" } }];
  assert.equal((await call({ tools })).status, 200);
  assert.deepEqual(sent[0]?.json["tools"], tools);
});

test("a server without the API is detected by its path, and served by chat completions from then on", async () => {
  const missing = { detail: "Not Found" };
  respond = (answer, path) =>
    path.endsWith("/responses") ? sendJson(answer, 404, missing) : sendJson(answer, 200, completion);
  for (const _ of [1, 2]) {
    const { status, text, header } = await call({ model: "bare" });
    assert.equal(status, 200, text);
    assert.match(text, /Hello there\./);
    assert.equal(header("x-gateway-attempts"), "1");
    assert.deepEqual(quantities(), { input_tokens: 10, output_tokens: 5 });
  }
  assert.deepEqual(
    sent.map(({ path }) => path),
    ["/bare/v1/responses", "/bare/v1/chat/completions", "/bare/v1/chat/completions"],
  );
});

test("a model that a server with the API does not know is not requested again by chat completions", async () => {
  const unknown = { error: { message: "The model `own` does not exist", type: "invalid_request_error", code: null } };
  respond = (answer) => sendJson(answer, 404, unknown);
  assert.equal((await call()).status >= 400, true);
  assert.ok(sent.every(({ path }) => path.endsWith("/responses")));
});

const search = (type: string) => ({ id: "ws_1", type: "web_search_call", status: "completed", action: { type } });

test("limits searches to those that are held for, and bills each", async () => {
  const output = [search("search"), search("open_page"), search("search"), message("Hello.")];
  respond = (answer) => sendJson(answer, 200, response({ output }));
  const { header } = await call({ model: "searcher", tools: [{ type: "web_search" }] });
  assert.equal(sent[0]?.json["max_tool_calls"], 3);
  assert.equal(header("x-gateway-max-uses"), "3");
  assert.equal(quantities()["web_searches"], 2);
  await call({ model: "searcher", tools: [{ type: "web_search" }], max_tool_calls: 1 });
  assert.equal(sent[1]?.json["max_tool_calls"], 1);
});

test("holds for the searches, and for all of the context where an item may refer to anything", async () => {
  const holdOf = async (fields: object): Promise<bigint> => {
    await call(fields);
    return harness.admission.booked.at(-1)?.request.holdNanoUsd ?? assert.fail();
  };
  const plain = await holdOf({ model: "searcher", max_output_tokens: 100 });
  const searching = await holdOf({ model: "searcher", max_output_tokens: 100, tools: [{ type: "web_search" }] });
  assert.ok(searching - plain > 3n * (10_000_000n + 40_000_000n), `${plain} ${searching}`);
  const unknown = await holdOf({
    input: [
      { role: "user", content: "Hi" },
      { type: "computer_call_output", call_id: "c", output: {} },
    ],
  });
  assert.ok(unknown >= 100_000_000n, String(unknown));
});

test("translates for a model that the provider does not serve in this API", async () => {
  const { text } = await call({ model: "not-there" });
  assert.equal(sent[0]?.path, "/own/v1/chat/completions", text);
});

test("counts input by the provider's endpoint, and estimates it for other providers", async () => {
  respond = (answer) => sendJson(answer, 200, { object: "response.input_tokens", input_tokens: 77 });
  const own = await harness.call("responses.input_tokens", { model: "native", input: "Hi" });
  assert.deepEqual(JSON.parse(own.text), { object: "response.input_tokens", input_tokens: 77 });
  assert.equal(sent[0]?.path, "/own/v1/responses/input_tokens");
  const other = await harness.call("responses.input_tokens", { model: "plain", input: "Hi" });
  assert.ok(JSON.parse(other.text).input_tokens > 0);
  assert.equal(sent.length, 1);
});
