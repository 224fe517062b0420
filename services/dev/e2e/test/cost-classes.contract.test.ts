import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { messagesHeaderCosts } from "@uag/providers/passed-fields/messages-headers";
import { openStage, type Stage } from "./holds/stage.ts";

type Json = Readonly<Record<string, unknown>>;

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage[Symbol.asyncDispose]());

const ask = { messages: [{ role: "user", content: "Hello" }] };
const chat = { operation: "chat.completions", base: ask };
const messages = { operation: "messages", base: { ...ask, max_tokens: 64 } };
const responses = { operation: "responses", base: { input: "Hello" } };

async function send({ operation, base }: typeof chat | typeof messages | typeof responses, fields: Json) {
  return await stage.call(operation, Buffer.from(JSON.stringify({ ...base, ...fields })));
}

const gpt = "gpt-4.1";
const claude = "claude-sonnet-4-6";
const qwen = "qwen-plus";

/** Fields that raise the cost, with such a value, and the parameter that the error names. */
const unbounded: readonly [endpoint: typeof chat | typeof messages | typeof responses, fields: Json, param: string][] =
  [
    [chat, { model: gpt, web_search_options: {} }, "web_search_options"],
    [chat, { model: gpt, tools: [{ type: "web_search" }] }, "tools[0].type"],
    [chat, { model: gpt, best_of: 8 }, "best_of"],
    [chat, { model: gpt, models: ["gpt-5.5"] }, "models"],
    [chat, { model: "grok-4.5", deferred: true }, "deferred"],
    [chat, { model: "grok-4.5", search_parameters: { mode: "on" } }, "search_parameters"],
    [chat, { model: qwen, enable_search: true }, "enable_search"],
    [chat, { model: qwen, enable_code_interpreter: true }, "enable_code_interpreter"],
    [messages, { model: claude, speed: "fast" }, "speed"],
    [messages, { model: claude, inference_geo: "us" }, "inference_geo"],
    [messages, { model: claude, container: { skills: [] } }, "container"],
    [messages, { model: claude, compaction: { type: "summarize" } }, "compaction"],
    [messages, { model: claude, fallbacks: [{ model: "claude-opus-4-6" }] }, "fallbacks"],
    [messages, { model: claude, mcp_servers: [{ type: "url", name: "a", url: "https://x.test" }] }, "mcp_servers"],
    [
      messages,
      {
        model: claude,
        messages: [
          {
            role: "user",
            content: [{ type: "tool_addition", tool: { type: "web_search_20250305", name: "web_search" } }],
          },
        ],
      },
      "messages.0.content.0.tool.type",
    ],
    [responses, { model: gpt, background: true }, "background"],
    [responses, { model: gpt, tools: [{ type: "web_search" }] }, "tools[0].type"],
    [responses, { model: gpt, conversation: "conv_1" }, "conversation"],
  ];

for (const [endpoint, fields, param] of unbounded)
  test(`${endpoint.operation} rejects ${param} of ${JSON.stringify(fields).slice(0, 60)}, whose cost no hold bounds`, async () => {
    const { status, text, booked } = await send(endpoint, fields);
    assert.equal(status, 400, text);
    const { error } = JSON.parse(text) as { error: { param?: string; message: string } };
    assert.ok(error.message.startsWith(`${param}: `), text);
    if (endpoint !== messages) assert.equal(error.param, param);
    assert.equal(booked, undefined, "no money is held");
  });

const draft = "word ".repeat(4_000);
const steered = (words: number): Json => ({ messages: [{ role: "user", content: `repeat ${words} words` }] });

/** Fields that raise the cost and that the hold bounds: the request without them costs less. */
const bounded: readonly [endpoint: typeof chat | typeof messages, fields: Json, without: Json][] = [
  [chat, { model: gpt, max_tokens: 8, prediction: { type: "content", content: draft } }, { model: gpt, max_tokens: 8 }],
  [chat, { model: gpt, ...steered(400), max_tokens: 500, n: 4 }, { model: gpt, ...steered(400), max_tokens: 500 }],
  [chat, { model: qwen, ...steered(400), max_tokens: 500 }, { model: qwen, ...steered(400), max_tokens: 5 }],
];

for (const [endpoint, fields, without] of bounded)
  test(`${endpoint.operation} holds and bills the cost of ${Object.keys(fields).join(", ")}`, async () => {
    const [more, less] = [await send(endpoint, fields), await send(endpoint, without)];
    const cost = ({ booked, text }: typeof more): bigint => booked?.settlement?.costNanoUsd ?? assert.fail(text);
    assert.deepEqual([more.status, less.status], [200, 200], more.text);
    assert.ok(cost(more) > cost(less), `${cost(more)} > ${cost(less)}`);
    assert.ok(cost(more) <= (more.booked?.request.holdNanoUsd ?? 0n), `${cost(more)} exceeds the hold`);
  });

test("a separately priced option that OpenAI does not require is neither requested nor billed", async () => {
  const prices: (bigint | undefined)[] = [];
  for (const tier of ["default", "priority"]) {
    const { status, booked } = await send(chat, { model: gpt, service_tier: tier, seed: 1 });
    assert.equal(status, 200);
    prices.push(booked?.settlement?.costNanoUsd);
  }
  assert.equal(prices[0], prices[1]);
});

const unclassed: readonly [what: string, endpoint: typeof chat | typeof messages, model: string, fields: Json][] = [
  ["a field", chat, gpt, { a_field_of_tomorrow: 1 }],
  ["a field", messages, claude, { a_field_of_tomorrow: 1 }],
  ["an option's member", messages, claude, { output_config: { of_tomorrow: 1 } }],
  ["a message's member", chat, gpt, { messages: [{ role: "user", content: "Hello", of_tomorrow: "id_1" }] }],
  ["a part", chat, gpt, { messages: [{ role: "user", content: [{ type: "hologram", id: "1" }] }] }],
];

for (const [what, endpoint, model, fields] of unclassed)
  test(`${endpoint.operation} holds for the model's whole context when ${what} has no cost class`, async () => {
    const { contextTokens, price } = stage.catalog.models.get(model) ?? assert.fail(model);
    const { booked, text } = await send(endpoint, { model, ...fields });
    const context = (BigInt(contextTokens) * (price.rates.get("input_tokens") ?? 0n)) / 1_000_000n;
    assert.ok((booked?.request.holdNanoUsd ?? 0n) >= context, text);
  });

const sayHello = (headers: readonly string[]) =>
  stage.call(
    messages.operation,
    Buffer.from(JSON.stringify({ ...messages.base, model: claude })),
    "application/json",
    headers,
  );

test("messages holds for the model's whole context when a header has no cost class", async () => {
  const { contextTokens, price } = stage.catalog.models.get(claude) ?? assert.fail(claude);
  const context = (BigInt(contextTokens) * (price.rates.get("input_tokens") ?? 0n)) / 1_000_000n;
  const holdOf = async (...headers: string[]): Promise<bigint> =>
    (await sayHello(headers)).booked?.request.holdNanoUsd ?? assert.fail(headers.join());
  assert.ok((await holdOf("anthropic-of-tomorrow", "1")) >= context);
  assert.ok((await holdOf("anthropic-beta", "context-1m-2025-08-07")) < context);
});

test("messages refuses a header that selects the provider's workspace or payer, by name", async () => {
  for (const header of ["anthropic-workspace-id", "anthropic-user-profile-id"]) {
    const { status, text, booked } = await sayHello([header, "id_1"]);
    assert.deepEqual([status, booked], [400, undefined], text);
    assert.match(text, new RegExp(`"${header}: `));
  }
});

test("every anthropic header that Anthropic's SDK sends with a message has a cost class", async () => {
  const sdk = new URL("./", import.meta.resolve("@anthropic-ai/sdk"));
  const sent = new Set<string>();
  for (const file of ["client.js", "resources/messages/messages.js", "resources/beta/messages/messages.js"]) {
    const text = await readFile(fileURLToPath(new URL(file, sdk)), "utf8");
    for (const [, name = ""] of text.matchAll(/['"](anthropic-[a-z-]{1,60})['"]/gi)) sent.add(name.toLowerCase());
  }
  assert.ok(sent.has("anthropic-version") && sent.has("anthropic-beta"), [...sent].join());
  assert.deepEqual(
    [...sent].filter((name) => !Object.hasOwn(messagesHeaderCosts, name)),
    [],
  );
});
