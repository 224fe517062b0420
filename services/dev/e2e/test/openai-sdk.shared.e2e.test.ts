import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";

const model = "gpt-4o-mini";
const userMessages = (text: string) => [{ role: "user" as const, content: text }];
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const clock = {
  type: "function" as const,
  function: { name: "get_time", description: "The time in a city", parameters: weather.function.parameters },
};

describe("the official OpenAI SDK works unchanged", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;

  before(async () => {
    fleet = await openSharedFleet();
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  const fault = (faults: object, model: string): Promise<() => Promise<void>> =>
    setFault(fleet.run.simulator_url, faults, { model });

  test("a completion has its text, its usage, and the cost in a header", async () => {
    const { data, response } = await openai.chat.completions
      .create({ model, messages: userMessages("say: Good morning") })
      .withResponse();
    assert.equal(data.object, "chat.completion");
    assert.equal(data.choices[0]?.message.content, "Good morning");
    assert.equal(data.choices[0]?.finish_reason, "stop");
    assert.equal(data.usage?.total_tokens, (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
    assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
    assert.ok(Number(response.headers.get("x-gateway-cost-usd")) > 0);
  });

  test("a stream has the same text in chunks, and no chunk that was not requested", async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages: userMessages("repeat 20 words"),
      stream: true,
    });
    let pieces = 0;
    let text = "";
    for await (const chunk of stream) {
      assert.equal(chunk.choices.length, 1, "a chunk without choices breaks clients that read choices[0]");
      const piece = chunk.choices[0]?.delta.content ?? "";
      if (piece !== "") pieces++;
      text += piece;
    }
    assert.equal(text.split(" ").length, 20);
    assert.ok(pieces >= 10);
  });

  const costOf = async (response: Response): Promise<number> => {
    const path = `/v1/receipts/${response.headers.get("x-request-id")}`;
    const receipt = await waitFor(
      async () => {
        const { status, json } = await fleet.client.get(path);
        return status === 200 ? json<{ cost_usd: string }>() : undefined;
      },
      { what: "the receipt" },
    );
    return Number(receipt.cost_usd);
  };

  // One model that OpenAI's own format serves, and one whose stream is translated.
  for (const model of ["gpt-4o-mini", "claude-sonnet-4-6"]) {
    test(`a stream of ${model} with requested usage ends with it and with the cost on its receipt`, async () => {
      const messages = userMessages("repeat 7 words");
      const { data: stream, response } = await openai.chat.completions
        .create({ model, messages, stream: true, stream_options: { include_usage: true } })
        .withResponse();
      const usages: (OpenAI.CompletionUsage & { cost?: number })[] = [];
      for await (const chunk of stream) if (chunk.usage) usages.push(chunk.usage);
      assert.equal(usages.length, 1);
      assert.equal(usages[0]?.completion_tokens, 7);
      const cost = await costOf(response);
      assert.ok(cost > 0);
      assert.equal(usages[0]?.cost, cost);
    });

    test(`a stream of a response of ${model} ends with its usage and with the cost on its receipt`, async () => {
      const { data: stream, response } = await openai.responses
        .create({ model, input: "repeat 7 words", stream: true })
        .withResponse();
      const usages: (OpenAI.Responses.ResponseUsage & { cost?: number })[] = [];
      for await (const event of stream)
        if (event.type === "response.completed" && event.response.usage) usages.push(event.response.usage);
      assert.equal(usages.length, 1);
      assert.equal(usages[0]?.output_tokens, 7);
      const cost = await costOf(response);
      assert.ok(cost > 0);
      assert.equal(usages[0]?.cost, cost);
    });
  }

  test("the first chunk of a stream arrives long before its last", async () => {
    const end = await fault({ slow: 500 }, "gpt-5.4-nano*");
    const started = performance.now();
    const stream = await openai.chat.completions.create({
      model: "gpt-5.4-nano",
      messages: userMessages("repeat 6 words"),
      stream: true,
    });
    const times: number[] = [];
    for await (const _ of stream) times.push(performance.now() - started);
    await end();
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 1_000, `the chunks arrived bunched: ${times.map(Math.round)}`);
  });

  test("tools are called in parallel, streamed or not, and their results get a response", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = userMessages(
      'call get_weather {"city":"Oslo"}\ncall get_time {"city":"Rome"}',
    );
    const tools = [weather, clock];
    const whole = await openai.chat.completions.create({ model, messages, tools });
    const calls = whole.choices[0]?.message.tool_calls ?? [];
    assert.equal(whole.choices[0]?.finish_reason, "tool_calls");
    assert.deepEqual(
      calls.map((call) => call.type === "function" && call.function.arguments),
      ['{"city":"Oslo"}', '{"city":"Rome"}'],
    );

    const streamed = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    assert.deepEqual(
      streamed.choices[0]?.message.tool_calls?.map((call) => call.type === "function" && call.function.name),
      ["get_weather", "get_time"],
    );

    const followUp = await openai.chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        { role: "assistant", content: null, tool_calls: calls },
        ...calls.map((call) => ({ role: "tool" as const, tool_call_id: call.id, content: "sunny" })),
      ],
    });
    assert.equal(followUp.choices[0]?.finish_reason, "stop");
  });

  test("each failure has the SDK's class", async () => {
    const create = (client: OpenAI, body: object = {}) =>
      client.chat.completions.create({
        model,
        messages: userMessages("x"),
        ...body,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming);
    const stranger = openai.withOptions({ apiKey: `${fleet.run.api_key.slice(0, -1)}_` });
    await assert.rejects(create(stranger), OpenAI.AuthenticationError);
    await assert.rejects(create(openai, { model: "no-such-model" }), OpenAI.BadRequestError);
    await assert.rejects(create(openai, { temperature: 3 }), (error: unknown) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.param, "temperature");
      return true;
    });
    await assert.rejects(openai.get("/nothing"), OpenAI.NotFoundError);
    const end = await fault({ status: 429, "retry-after": 60 }, "gpt-4.1-mini*");
    await assert.rejects(create(openai, { model: "gpt-4.1-mini" }), OpenAI.RateLimitError);
    await end();
    const endBroken = await fault({ "error-event": 3 }, "gpt-4.1-mini*");
    const stream = await openai.chat.completions.create({
      model: "gpt-4.1-mini",
      messages: userMessages("repeat 9 words"),
      stream: true,
    });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, OpenAI.APIError);
    await endBroken();
  });

  test("a client that disconnects cancels the upstream within a second, and is billed for the delivered part", async () => {
    const end = await fault({ slow: 50 }, "gpt-4.1*");
    const controller = new AbortController();
    const request = { model: "gpt-4.1", messages: userMessages("repeat 2000 words"), stream: true } as const;
    const { data: stream, request_id: id } = await openai.chat.completions
      .create(request, { signal: controller.signal })
      .withResponse();
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 5) break;
    controller.abort();
    const entry = await waitFor(
      async () => {
        const entries = await attemptsAt(fleet.run.simulator_url);
        return entries.find((each) => each.request_id === id && each.outcome === "disconnected");
      },
      { maxPolls: pollsWithin(1), what: "the simulator to see the disconnect" },
    );
    assert.ok(entry);
    await end();
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    const report = await fleet.audit();
    assert.deepEqual(report.violations, []);
  });
});
