import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { ChatOpenAI } from "@langchain/openai";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import type { ResponseInput } from "openai/resources/responses/responses";
import { z } from "zod";
import { exampleTests } from "./clients/examples.ts";
import { generatedClientTest } from "./clients/generated.ts";
import { goodBodies, nulledBodies } from "./clients/nulls.ts";
import { responseTests } from "./clients/responses.ts";
import { sampleTests } from "./clients/samples.ts";

/** A model of each provider. */
const models = ["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash", "qwen-plus", "grok-4.5", "deepseek-flash"];
const parameters = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const personSchema = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
const callTwice = 'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}';
/** The content of a response, which does not depend on the request's format. */
const reportedText = ({ text }: { text: string }) => text.replace(/"request_id":"[^"]*"/, "");
const user = (content: string) => [{ role: "user" as const, content }];

describe("every client works with every model in both formats", () => {
  let fleet: SharedFleet;
  let webhookUrl: string;
  let openai: OpenAI;
  let anthropic: Anthropic;

  before(async () => {
    fleet = await openSharedFleet();
    webhookUrl = fleet.receiver.url;
    const { api_key: apiKey, base_url: baseURL } = fleet.run;
    openai = new OpenAI({ apiKey, baseURL: `${baseURL}/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ authToken: apiKey, apiKey: null, baseURL, maxRetries: 0 });
  });

  for (const model of models) {
    test(`${model}: the OpenAI SDK gets text, streams, parallel tools and structured output`, async () => {
      const text = await openai.chat.completions.create({ model, messages: user("say: hello") });
      assert.equal(text.choices[0]?.message.content, "hello");
      assert.ok((text.usage?.total_tokens ?? 0) > 0);

      const tools = [{ type: "function" as const, function: { name: "get_weather", parameters } }];
      const called = await openai.chat.completions
        .stream({ model, messages: user(callTwice), tools })
        .finalChatCompletion();
      const [choice] = called.choices;
      assert.equal(choice?.finish_reason, "tool_calls");
      const calls = choice.message.tool_calls ?? [];
      assert.deepEqual(
        calls.map((call) => call.type === "function" && JSON.parse(call.function.arguments)),
        [{ city: "Oslo" }, { city: "Rome" }],
      );
      const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sunny" }));
      const messages = [...user(callTwice), choice.message, ...results];
      assert.equal(
        (await openai.chat.completions.create({ model, messages, tools })).choices[0]?.finish_reason,
        "stop",
      );

      const shaped = await openai.chat.completions.create({
        model,
        messages: user("a person"),
        response_format: { type: "json_schema", json_schema: { name: "person", strict: true, schema: personSchema } },
      });
      assert.equal(typeof JSON.parse(shaped.choices[0]?.message.content ?? "").name, "string");
    });

    test(`${model}: the Anthropic SDK gets text, streams, parallel tools and a token count`, async () => {
      const text = await anthropic.messages.create({
        model,
        max_tokens: 2_000,
        system: "Be kind.",
        messages: user("say: hello"),
      });
      assert.ok(text.content.some((block) => block.type === "text" && block.text === "hello"));
      assert.ok(text.usage.input_tokens > 0 && text.usage.output_tokens > 0);

      const tools = [{ name: "get_weather", input_schema: parameters }];
      const called = await anthropic.messages
        .stream({ model, max_tokens: 2_000, messages: user(callTwice), tools })
        .finalMessage();
      assert.equal(called.stop_reason, "tool_use");
      const uses = called.content.filter((block) => block.type === "tool_use");
      assert.deepEqual(
        uses.map(({ input }) => input),
        [{ city: "Oslo" }, { city: "Rome" }],
      );
      const results = uses.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "sunny" }));
      const followUp = await anthropic.messages.create({
        model,
        max_tokens: 2_000,
        tools,
        messages: [
          ...user(callTwice),
          { role: "assistant", content: called.content },
          { role: "user", content: results },
        ],
      });
      assert.equal(followUp.stop_reason, "end_turn");
      assert.ok((await anthropic.messages.countTokens({ model, messages: user("hello world") })).input_tokens > 0);
    });

    test(`${model}: the OpenAI SDK gets responses, streamed and by a schema, with parallel tools`, async () => {
      const whole = await openai.responses.create({ model, input: "say: hello", instructions: "Be kind." });
      assert.equal(whole.output_text, "hello");
      assert.ok(whole.usage !== undefined && whole.usage.input_tokens > 0 && whole.usage.output_tokens > 0);

      const listed = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
      const stream = openai.responses.stream({ model, input: callTwice, tools: listed });
      const called = await stream.finalResponse();
      const calls = called.output.filter((item) => item.type === "function_call");
      assert.deepEqual(
        calls.map((call) => JSON.parse(call.arguments)),
        [{ city: "Oslo" }, { city: "Rome" }],
      );
      const results = calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "sunny" }));
      const input = [{ role: "user" as const, content: callTwice }, ...called.output, ...results];
      const followUp = await openai.responses.create({ model, input: input as ResponseInput, tools: listed });
      assert.equal(followUp.status, "completed");
      assert.match(followUp.output_text, /sunny/);

      const format = { type: "json_schema" as const, name: "person", strict: true, schema: personSchema };
      const shaped = await openai.responses.create({ model, input: "a person", text: { format } });
      assert.equal(typeof JSON.parse(shaped.output_text).name, "string");
    });

    test(`${model}: the Vercel AI SDK runs tools and streams, LangChain invokes and streams`, async () => {
      const { api_key: apiKey, base_url } = fleet.run;
      const baseURL = `${base_url}/v1`;
      const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" });
      for (const served of [
        createOpenAI({ apiKey, baseURL }).chat(model),
        createOpenAI({ apiKey, baseURL }).responses(model),
        createAnthropic({ authToken: apiKey, baseURL })(model),
      ]) {
        const prompt = 'call weather {"city":"Oslo"}';
        const ran = await generateText({
          model: served,
          prompt,
          tools: { weather },
          stopWhen: stepCountIs(2),
          maxRetries: 0,
          maxOutputTokens: 2_000,
        });
        assert.equal(ran.steps.length, 2);
        let words = "";
        for await (const piece of streamText({
          model: served,
          prompt: "repeat 8 words",
          maxRetries: 0,
          maxOutputTokens: 2_000,
        }).textStream)
          words += piece;
        assert.equal(words.trim().split(" ").length, 8);
      }
      const chain = new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 0 });
      assert.equal((await chain.invoke("say: hello")).content, "hello");
      let chunks = 0;
      for await (const _ of await chain.stream("repeat 9 words")) chunks++;
      assert.ok(chunks > 1);
    });
  }

  test("an error has the Anthropic SDK's class and a native body, and a disconnect ends the stream", async () => {
    const create = (model: string) => anthropic.messages.create({ model, max_tokens: 5, messages: user("x") });
    await assert.rejects(create("no-such-model"), (error: unknown) => {
      assert.ok(error instanceof Anthropic.BadRequestError);
      assert.equal((error.error as { type?: string }).type, "error");
      return true;
    });
    const stranger = new Anthropic({ authToken: "sk-wrong", apiKey: null, baseURL: fleet.run.base_url, maxRetries: 0 });
    await assert.rejects(
      stranger.messages.create({ model: "claude-sonnet-4-6", max_tokens: 5, messages: user("x") }),
      Anthropic.AuthenticationError,
    );
    const stream = anthropic.messages.stream({
      model: "claude-sonnet-4-6",
      max_tokens: 5_000,
      messages: user("repeat 2000 words"),
    });
    stream.on("text", () => stream.abort());
    await assert.rejects(stream.finalMessage(), Anthropic.APIUserAbortError);
  });

  for (const [path, name, good] of goodBodies) {
    test(`null is the same as absence in every optional property of ${name} (${(good as { model?: string }).model ?? path})`, async () => {
      const { admin, api_key } = fleet.run;
      const headers = { authorization: `Bearer ${path.startsWith("/admin") ? admin.token : api_key}` };
      const bodies = nulledBodies(name, good);
      assert.ok(bodies.length > 0);
      const refused: string[] = [];
      await Promise.all(
        bodies.map(async ({ at, body, without }) => {
          const response = await fleet.client.post(path, body, { headers });
          if (response.status < 400) return;
          const absent = await fleet.client.post(path, without, { headers });
          if (reportedText(absent) !== reportedText(response))
            refused.push(`${at}: ${response.status} ${response.text}`);
        }),
      );
      assert.deepEqual(refused, []);
    });
  }

  test("a key without limits gets the provider's rate limit headers under the names of each SDK, or none", async () => {
    const messages = user("say: hello");
    const chat = await openai.chat.completions.create({ model: "gpt-4o-mini", messages }).withResponse();
    assert.equal(chat.response.headers.get("x-ratelimit-limit-requests"), "10000");
    assert.match(chat.response.headers.get("x-ratelimit-reset-tokens") ?? "", /^\d+ms$/);
    const requested = { model: "claude-sonnet-4-6", max_tokens: 50, messages };
    const message = await anthropic.messages.create({ ...requested, stream: true }).withResponse();
    assert.equal(message.response.headers.get("anthropic-ratelimit-requests-remaining"), "3999");
    for await (const _ of message.data);
    const silent = await openai.chat.completions.create({ model: "gemini-2.5-flash", messages }).withResponse();
    assert.deepEqual(
      [...silent.response.headers.keys()].filter((name) => name.includes("ratelimit")),
      [],
    );
  });

  test("both SDKs can read the model list", async () => {
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    const page = await anthropic.models.list({ limit: 1_000 });
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ids,
    );
    assert.ok(page.data.every(({ display_name }) => display_name !== ""));
  });

  generatedClientTest(() => fleet);
  responseTests(() => ({ fleet, webhookUrl }));
  exampleTests(() => ({ fleet, webhookUrl }));

  sampleTests(() => fleet);

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
