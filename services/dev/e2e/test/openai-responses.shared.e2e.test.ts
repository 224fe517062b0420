import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { before, describe, test } from "node:test";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import OpenAI from "openai";

const city = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = { type: "function" as const, name: "get_weather", parameters: city, strict: true };
/** A model whose provider has the Responses API and reasons. */
const model = "gpt-5-mini";

describe("the official OpenAI SDK gets the provider's own Responses API", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;

  before(async () => {
    fleet = await openSharedFleet();
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  test("a tool's result and encrypted reasoning go back to the model, over two streams", async () => {
    const request = {
      model,
      tools: [weather],
      include: ["reasoning.encrypted_content" as const],
      reasoning: { effort: "low" as const, summary: "auto" as const },
      prompt_cache_key: "conversation-1",
      store: false,
    };
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }];
    const first = await openai.responses.stream({ ...request, input }).finalResponse();
    const [reasoning, call] = first.output;
    assert.equal(reasoning?.type, "reasoning");
    assert.ok(reasoning.encrypted_content && reasoning.summary.length > 0);
    assert.equal(first.prompt_cache_key, "conversation-1", "the provider got the field");
    assert.ok(call?.type === "function_call");
    assert.deepEqual(JSON.parse(call.arguments), { city: "Oslo" });
    input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
    input.push({ type: "function_call_output", call_id: call.call_id, output: "Sunny, 21 degrees" });
    const types: string[] = [];
    const stream = openai.responses.stream({ ...request, input });
    for await (const event of stream) types.push(event.type);
    const second = await stream.finalResponse();
    assert.match(second.output_text, /Sunny, 21 degrees/);
    assert.ok((second.usage?.output_tokens_details.reasoning_tokens ?? 0) > 0);
    for (const type of ["response.created", "response.reasoning_summary_text.delta", "response.output_text.delta"])
      assert.ok(types.includes(type), type);
    assert.equal(types.at(-1), "response.completed");
  });

  test("structured output is parsed, and verbosity reaches the provider", async () => {
    const format = { type: "json_schema" as const, name: "place", schema: city, strict: true };
    const parsed = await openai.responses.parse({ model, input: "A city", text: { format, verbosity: "low" } });
    assert.equal(typeof JSON.parse(parsed.output_text).city, "string");
    assert.equal(parsed.text?.verbosity, "low");
  });

  test("a custom tool's text, a refusal and a response that is cut off keep their form", async () => {
    const custom = await openai.responses.create({
      model,
      input: 'call run {"input":"ls -l"}',
      tools: [{ type: "custom", name: "run" }],
    });
    const called = custom.output.find((item) => item.type === "custom_tool_call");
    assert.equal(called?.input, "ls -l");
    const refused = await openai.responses.create({ model: "gpt-4o-mini", input: "refuse: I cannot do that" });
    const [item] = refused.output;
    assert.ok(item?.type === "message");
    assert.deepEqual(item.content, [{ type: "refusal", refusal: "I cannot do that" }]);
    const cut = await openai.responses.create({
      model: "gpt-4o-mini",
      input: "repeat 90 words",
      max_output_tokens: 16,
    });
    assert.deepEqual([cut.status, cut.incomplete_details?.reason], ["incomplete", "max_output_tokens"]);
  });

  test("a web search of the provider's is billed with its tokens", async () => {
    const { data, response } = await openai.responses
      .create({ model, input: "search 2 times\nNews?", tools: [{ type: "web_search" }], max_output_tokens: 2_000 })
      .withResponse();
    assert.equal(data.output.filter(({ type }) => type === "web_search_call").length, 2);
    const { input_tokens: input = 0, output_tokens: output = 0, input_tokens_details: details } = data.usage ?? {};
    const cached = details?.cached_tokens ?? 0;
    const nanoUsd = (input - cached) * 250 + cached * 25 + output * 2_000 + 2 * 10_000_000;
    assert.equal(Number(response.headers.get("x-gateway-cost-usd")), nanoUsd / 1e9);
  });

  test("a response that fails after it has begun ends with the provider's event", async () => {
    const stream = await openai.responses.create({ model, input: "fail with server_error charged", stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    // The connection ends without a proper end, as with every stream that fails.
    await assert.rejects(async () => {
      for await (const event of stream) events.push(event);
    });
    const last = events.at(-1);
    assert.ok(last?.type === "response.failed", last?.type);
    assert.equal(last.response.error?.code, "server_error");
  });

  test("xAI's models get the same, with reasoning in their own form", async () => {
    const response = await openai.responses.create({
      model: "grok-4.5",
      input: "say: Hi",
      include: ["reasoning.encrypted_content"],
    });
    assert.equal(response.output_text, "Hi");
    assert.ok(response.output.some((item) => item.type === "reasoning" && item.encrypted_content));
  });

  test("a conversation moves from one provider's model to another's and back", async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "say: One" }];
    for (const each of [model, "claude-sonnet-4-6", "grok-4.5", "gemini-2.5-flash", model]) {
      const { output, output_text: said } = await openai.responses.create({
        model: each,
        input,
        include: ["reasoning.encrypted_content"],
        ...(each !== "gemini-2.5-flash" && { reasoning: { effort: "low" } }),
      });
      assert.equal(said, "One", each);
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]), { role: "user", content: "say: One" });
    }
  });

  test("input is counted without a charge", async () => {
    const count = await openai.responses.inputTokens.count({ model, input: "Hello there" });
    assert.equal(count.object, "response.input_tokens");
    const { usage } = await openai.responses.create({ model, input: "Hello there" });
    assert.equal(count.input_tokens, usage?.input_tokens);
  });

  test("a WebSocket handshake gets 426 and a JSON error, after which Codex continues over HTTP", async () => {
    const url = `${fleet.run.base_url}/v1/responses`;
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const [response] = (await once(request(url, { headers }).end(), "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 426);
    const { error } = JSON.parse(await text(response)) as { error: { code: string } };
    assert.equal(error.code, "websocket_unsupported");
    assert.equal((await fetch(url)).status, 405, "a plain GET keeps its error");
  });
});
