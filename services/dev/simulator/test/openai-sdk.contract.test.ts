import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from "openai";
import { type Simulator, startSimulator } from "../src/service.ts";
import { logged } from "./support.ts";

let simulator: Simulator;
let client: OpenAI;

before(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ apiKey: "good", baseURL: `${simulator.url}/openai/v1`, maxRetries: 0 });
});
after(() => simulator.close());

const user = (content: string) => [{ role: "user" as const, content }];
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const clock = {
  type: "function" as const,
  function: { name: "get_clock", parameters: { type: "object", properties: {} } },
};

test("the same request gets the same response and usage, streamed or not", async () => {
  const request = { model: "gpt-4o", messages: user("Tell me something") };
  const [one, two] = [await client.chat.completions.create(request), await client.chat.completions.create(request)];
  assert.equal(one.choices[0]?.message.content, two.choices[0]?.message.content);
  assert.deepEqual(one.usage, two.usage);
  assert.notEqual(one.id, two.id);

  let text = "";
  let usage: unknown;
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(text, one.choices[0]?.message.content);
  assert.deepEqual(usage, one.usage);
});

test("say and repeat control the response exactly", async () => {
  const reported = await client.chat.completions.create({ model: "gpt-4o-mini", messages: user("say: Grüße 😀") });
  assert.equal(reported.choices[0]?.message.content, "Grüße 😀");
  const words = await client.chat.completions.create({ model: "gpt-4o-mini", messages: user("repeat 100 words") });
  assert.equal(words.usage?.completion_tokens, 100);
});

test("JSON mode has the keys that the prompt names", async () => {
  const { choices } = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("Tell a joke. Return the result as a JSON with 'setup' and `punchline` keys."),
    response_format: { type: "json_object" },
  });
  assert.deepEqual(Object.keys(JSON.parse(choices[0]?.message.content ?? "")), ["setup", "punchline"]);
});

test("calls several requested tools in parallel, and responds to their results with text", async () => {
  const tools = [weather, clock];
  const messages = user('call get_weather {"city":"Oslo"}\ncall get_clock {}');
  const stream = client.chat.completions.stream({ model: "gpt-4o", messages, tools });
  const message = (await stream.finalChatCompletion()).choices[0];
  assert.equal(message?.finish_reason, "tool_calls");
  const calls = message?.message.tool_calls ?? [];
  assert.deepEqual(
    calls.map((call) => call.type === "function" && [call.function.name, call.function.arguments]),
    [
      ["get_weather", '{"city":"Oslo"}'],
      ["get_clock", "{}"],
    ],
  );
  const results = calls.map((call) => ({ role: "tool" as const, tool_call_id: call.id, content: "sunny" }));
  const response = await client.chat.completions.create({
    model: "gpt-4o",
    messages: [...messages, { role: "assistant", content: null, tool_calls: calls }, ...results],
    tools,
  });
  assert.match(response.choices[0]?.message.content ?? "", /sunny/);
});

test("calls a tool that the message mentions, and only one when parallel calls are off", async () => {
  const request = { model: "gpt-4o", messages: user("What are the weather and the clock?"), tools: [weather, clock] };
  const many = await client.chat.completions.create(request);
  assert.equal(many.choices[0]?.message.tool_calls?.length, 2);
  const one = await client.chat.completions.create({ ...request, parallel_tool_calls: false });
  assert.equal(one.choices[0]?.message.tool_calls?.length, 1);
  const none = await client.chat.completions.create({ ...request, tool_choice: "none" });
  assert.equal(none.choices[0]?.message.tool_calls, undefined);
});

test("calls a forced tool, whatever the message", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("hello"),
    tools: [clock, weather],
    tool_choice: { type: "function", function: { name: "get_weather" } },
  });
  const [call] = completion.choices[0]?.message.tool_calls ?? [];
  assert.ok(call?.type === "function" && call.function.name === "get_weather");
  assert.equal(typeof JSON.parse(call.function.arguments).city, "string");
});

test("max tokens and stop strings truncate the response", async () => {
  const short = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("repeat 50 words"),
    max_tokens: 7,
  });
  assert.equal(short.choices[0]?.finish_reason, "length");
  assert.equal(short.usage?.completion_tokens, 7);
  const stopped = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("say: one two three"),
    stop: [" two"],
  });
  assert.equal(stopped.choices[0]?.message.content, "one");
  assert.equal(stopped.choices[0]?.finish_reason, "stop");
});

test("n candidates are n responses, each billed", async () => {
  const request = { model: "gpt-4o", messages: user("repeat 10 words"), n: 3 };
  const whole = await client.chat.completions.create(request);
  assert.equal(new Set(whole.choices.map((choice) => choice.message.content)).size, 3);
  assert.equal(whole.usage?.completion_tokens, 30);
  const streamed = new Map<number, string>();
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    for (const { index, delta } of chunk.choices)
      streamed.set(index, (streamed.get(index) ?? "") + (delta.content ?? ""));
  }
  assert.deepEqual(
    [...streamed.values()],
    whole.choices.map((choice) => choice.message.content),
  );
});

test("reasoning uses up a small budget", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-5-mini",
    messages: user("hi"),
    max_completion_tokens: 64,
  });
  assert.equal(completion.choices[0]?.message.content, "");
  assert.equal(completion.choices[0]?.finish_reason, "length");
  assert.equal(completion.usage?.completion_tokens, 64);
  assert.equal(completion.usage?.completion_tokens_details?.reasoning_tokens, 64);
  const quick = await client.chat.completions.create({
    model: "gpt-5-mini",
    messages: user("hi"),
    max_completion_tokens: 64,
    reasoning_effort: "minimal",
  });
  assert.equal(quick.usage?.completion_tokens_details?.reasoning_tokens, 0);
  assert.notEqual(quick.choices[0]?.message.content, "");
});

test("responds to a JSON schema with a matching instance", async () => {
  const schema = {
    type: "object",
    properties: { age: { type: "integer", minimum: 3, maximum: 4 } },
    required: ["age"],
    additionalProperties: false,
  };
  const completion = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("hello"),
    response_format: { type: "json_schema", json_schema: { name: "person", schema, strict: true } },
  });
  assert.ok([3, 4].includes(JSON.parse(completion.choices[0]?.message.content ?? "").age));
});

test("refusals, filtered responses and log probabilities have their own fields", async () => {
  const refused = await client.chat.completions.create({ model: "gpt-4o", messages: user("refuse: I cannot") });
  assert.equal(refused.choices[0]?.message.refusal, "I cannot");
  assert.equal(refused.choices[0]?.message.content, null);
  const filtered = await client.chat.completions.create({ model: "gpt-4o", messages: user("filtered") });
  assert.equal(filtered.choices[0]?.finish_reason, "content_filter");
  const probable = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("repeat 3 words"),
    logprobs: true,
    top_logprobs: 2,
  });
  assert.equal(probable.choices[0]?.logprobs?.content?.length, 3);
  assert.equal(probable.choices[0]?.logprobs?.content?.[0]?.top_logprobs.length, 2);
});

test("reads a repeated long prompt from the cache", async () => {
  const messages = user(`${"lorem ipsum ".repeat(1000)}\nsay: x`);
  const first = await client.chat.completions.create({ model: "gpt-4o", messages });
  const second = await client.chat.completions.create({ model: "gpt-4o", messages });
  assert.equal(first.usage?.prompt_tokens_details?.cached_tokens, 0);
  assert.equal(
    second.usage?.prompt_tokens_details?.cached_tokens,
    Math.floor((second.usage?.prompt_tokens ?? 0) / 128) * 128,
  );
});

test("an image costs tokens by its size", async () => {
  const png = Buffer.alloc(64);
  png.write("\x89PNG\r\n\x1a\n", "latin1");
  png.writeUInt32BE(1024, 16);
  png.writeUInt32BE(1024, 20);
  const cost = async (url: string, detail: "low" | "high") => {
    const content = [{ type: "image_url" as const, image_url: { url, detail } }];
    const completion = await client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content }] });
    return completion.usage?.prompt_tokens ?? 0;
  };
  const data = `data:image/png;base64,${png.toString("base64")}`;
  assert.equal((await cost(data, "high")) - (await cost(data, "low")), 680);
  assert.equal(await cost("https://example.com/a.png", "high"), await cost(data, "high"));
});

test("errors arrive as the SDK's own classes", async () => {
  const call = (model: string, apiKey = "good") =>
    client.withOptions({ apiKey }).chat.completions.create({ model, messages: user("hi") });
  await assert.rejects(
    call("gpt-4o", "bad-key"),
    (error) => error instanceof AuthenticationError && error.code === "invalid_api_key",
  );
  await assert.rejects(call("gpt-9"), (error) => error instanceof NotFoundError && error.code === "model_not_found");
  await assert.rejects(
    call("gpt-4o--sim-status-429"),
    (error) => error instanceof RateLimitError && error.type === "requests",
  );
  await assert.rejects(
    call("gpt-4o--sim-status-429--sim-quota"),
    (error) => error instanceof RateLimitError && error.code === "insufficient_quota",
  );
  await assert.rejects(call("gpt-4o--sim-status-500"), InternalServerError);
  await assert.rejects(
    client.chat.completions.create({ model: "o3", messages: user("hi"), reasoning_effort: "minimal" }),
    (error) =>
      error instanceof BadRequestError &&
      error.param === "reasoning_effort" &&
      /'low', 'medium', and 'high'/.test(error.message),
  );
});

test("an aborted stream is logged as disconnected with what had been delivered", async () => {
  simulator.log.clear();
  const stream = await client.chat.completions.create({
    model: "gpt-4o--sim-slow-5",
    messages: user("repeat 1000 words"),
    stream: true,
  });
  let seen = 0;
  await assert.rejects(async () => {
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content && ++seen === 5) stream.controller.abort();
    }
    throw new APIUserAbortError();
  }, APIUserAbortError);
  const [entry] = await logged(simulator, 1);
  assert.equal(entry?.outcome, "disconnected");
  assert.ok((entry?.delivered.content_tokens ?? 0) >= 5 && (entry?.delivered.content_tokens ?? 0) < 1000);
  assert.equal(entry?.usage, null);
});

test("lists models and finds them by id", async () => {
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.ok(ids.includes("gpt-5-mini"));
  assert.equal((await client.models.retrieve("gpt-5-mini")).owned_by, "system");
  await assert.rejects(client.models.retrieve("gpt-9"), NotFoundError);
});
