import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { generateText, Output } from "ai";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { type Files, mp4, startFiles, wav } from "./clients/files.ts";

/**
 * A vision model of each provider; `files` where it takes documents too. When the client
 * disconnects, a call is cancelled where the provider then stops billing, and otherwise read to its
 * usage: with providers that continue, and with models that think without showing it.
 */
const models = [
  { model: "gpt-4o-mini", files: true, whenLeft: "disconnected" },
  { model: "claude-sonnet-4-6", files: true, whenLeft: "disconnected" },
  { model: "gemini-2.5-flash", files: true, whenLeft: "completed" },
  { model: "qwen3.8-flash", files: false, whenLeft: "completed" },
  { model: "grok-4.7", files: false, whenLeft: "completed" },
];
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pdf = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
const dataUrl = `data:image/png;base64,${png}`;
const person = z.object({ name: z.string(), age: z.number() });
const weather = {
  name: "get_weather",
  parameters: { type: "object" as const, properties: { city: { type: "string" } } },
};
const maxTokens = 4_000;
/** One byte more than the gateway fetches for a provider that accepts only inline content. */
const tooLong = Buffer.alloc(14 * 1024 * 1024);
const adaptive = { type: "adaptive" as const };
const budget = { type: "enabled" as const, budget_tokens: 1_024 };

describe("images, documents, structured output, thinking, errors and disconnects, by the vendors' SDKs", () => {
  let fleet: TestFleet;
  let openai: OpenAI;
  let anthropic: Anthropic;
  let files: Files;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "clients-content-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    files = resources.use(
      await startFiles({ "/sound.wav": wav(2), "/clip.mp4": mp4, "/long.mp4": Buffer.concat([mp4, tooLong]) }),
    );
    const authority = join(dataDir, "files-ca.pem");
    await writeFile(authority, files.ca);
    const env = { NODE_EXTRA_CA_CERTS: authority };
    fleet = resources.use(await startTestFleet({ dataDir, single: true, env, egressAllow: files.host }));
    const { api_key: apiKey, base_url: baseURL } = fleet.run;
    openai = new OpenAI({ apiKey, baseURL: `${baseURL}/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ authToken: apiKey, apiKey: null, baseURL, maxRetries: 0 });
  });
  after(() => resources.disposeAsync());

  const bySdk = {
    openai: async (model: string, part: OpenAI.ChatCompletionContentPart) => {
      const content = [{ type: "text" as const, text: "say: seen" }, part];
      const response = await openai.chat.completions.create({ model, messages: [{ role: "user", content }] });
      return { text: response.choices[0]?.message.content, prompt: response.usage?.prompt_tokens ?? 0 };
    },
    anthropic: async (model: string, block: Anthropic.ContentBlockParam) => {
      const content = [block, { type: "text" as const, text: "say: seen" }];
      const response = await anthropic.messages.create({
        model,
        max_tokens: maxTokens,
        messages: [{ role: "user", content }],
      });
      const text = response.content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("");
      return { text, prompt: response.usage.input_tokens };
    },
  };

  for (const { model, files, whenLeft } of models) {
    test(`${model} reads images in both formats, inline and by URL`, async () => {
      const source = { type: "base64" as const, media_type: "image/png" as const, data: png };
      const seen = [
        await bySdk.openai(model, { type: "image_url", image_url: { url: dataUrl } }),
        await bySdk.anthropic(model, { type: "image", source }),
      ];
      for (const { text, prompt } of seen) {
        assert.equal(text, "seen");
        assert.ok(prompt > 0);
      }
      for (const client of [
        createOpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1` }).chat(model),
        createAnthropic({ authToken: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1` })(model),
      ]) {
        const content = [
          { type: "text" as const, text: "say: seen" },
          { type: "image" as const, image: Buffer.from(png, "base64"), mediaType: "image/png" },
        ];
        const messages = [{ role: "user" as const, content }];
        const { text } = await generateText({ model: client, messages, maxRetries: 0, maxOutputTokens: maxTokens });
        assert.equal(text, "seen");
      }
    });

    test(`${model} reads documents, or refuses them with that reason if it does not support them`, async () => {
      const source = { type: "base64" as const, media_type: "application/pdf" as const, data: pdf };
      const file = { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` };
      const read = (): Promise<{ text: unknown }> => bySdk.anthropic(model, { type: "document", source });
      if (files) {
        assert.equal((await read()).text, "seen");
        assert.equal((await bySdk.openai(model, { type: "file", file })).text, "seen");
      } else await assert.rejects(read, Anthropic.BadRequestError);
      const text = { type: "text" as const, media_type: "text/plain" as const, data: "The sky is blue." };
      assert.equal((await bySdk.anthropic(model, { type: "document", source: text, title: "Sky" })).text, "seen");
    });

    test(`${model} has structured output in both formats`, async () => {
      const messages = [{ role: "user" as const, content: "A person, as JSON." }];
      const responseFormat = zodResponseFormat(person, "person");
      const chat = await openai.chat.completions.parse({ model, messages, response_format: responseFormat });
      assert.equal(typeof chat.choices[0]?.message.parsed?.name, "string");
      const outputConfig = { format: zodOutputFormat(person) };
      const message = await anthropic.messages.parse({
        model,
        max_tokens: maxTokens,
        messages,
        output_config: outputConfig,
      });
      assert.equal(typeof message.parsed_output?.age, "number");
      const served = createOpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1` }).chat(model);
      const { output } = await generateText({
        model: served,
        output: Output.object({ schema: person }),
        prompt: "A person, as JSON.",
        maxRetries: 0,
      });
      assert.equal(typeof output.name, "string");
    });

    test(`${model}: LangChain sends images, binds tools and structured output`, async () => {
      const chat = new ChatOpenAI({
        model,
        apiKey: fleet.run.api_key,
        configuration: { baseURL: `${fleet.run.base_url}/v1` },
        maxRetries: 0,
      });
      const content = [
        { type: "text" as const, text: "say: seen" },
        { type: "image_url" as const, image_url: { url: dataUrl } },
      ];
      assert.equal((await chat.invoke([new HumanMessage({ content })])).content, "seen");
      const forecast = tool(async () => "sunny", { name: "get_weather", schema: z.object({ city: z.string() }) });
      const called = await chat
        .bindTools([forecast])
        .invoke('call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}');
      assert.deepEqual(
        called.tool_calls?.map(({ args }) => args),
        [{ city: "Oslo" }, { city: "Rome" }],
      );
      const shaped = await chat.withStructuredOutput(person, { method: "jsonSchema" }).invoke("A person, as JSON.");
      assert.equal(typeof shaped.name, "string");
    });

    test(`${model}: each SDK throws its own error for a fault, and after a disconnect the call is ${whenLeft === "disconnected" ? "cancelled" : "read to its usage"}`, async () => {
      const end = await setFault(fleet.run.simulator_url, { status: 429, "retry-after": 60 }, { model: `${model}*` });
      const messages = [{ role: "user" as const, content: "x" }];
      await assert.rejects(openai.chat.completions.create({ model, messages }), OpenAI.RateLimitError);
      await assert.rejects(
        anthropic.messages.create({ model, max_tokens: maxTokens, messages }),
        Anthropic.RateLimitError,
      );
      await end();
      const [slow, words] = whenLeft === "disconnected" ? [40, 2_000] : [20, 150];
      const endSlow = await setFault(fleet.run.simulator_url, { slow }, { model: `${model}*` });
      const long = [{ role: "user" as const, content: `repeat ${words} words` }];
      const before = (await attemptsAt(fleet.run.simulator_url)).length;
      const left = async (): Promise<number> =>
        (await attemptsAt(fleet.run.simulator_url))
          .slice(before)
          .filter((one) => one.model === model && one.outcome === whenLeft).length;
      const chunks = await openai.chat.completions.create({ model, messages: long, stream: true });
      for await (const _ of chunks) break;
      await waitFor(async () => (await left()) === 1, { what: "the first call to be disconnected" });
      const events = anthropic.messages.stream({ model, max_tokens: maxTokens, messages: long });
      events.on("streamEvent", () => events.abort());
      await assert.rejects(events.finalMessage(), Anthropic.APIUserAbortError);
      await waitFor(async () => (await left()) === 2, { what: "the second call to be disconnected" });
      await endSlow();
    });
  }

  for (const [model, passesOn] of [
    ["gemini-2.5-flash", false],
    ["qwen3-omni-flash", true],
  ] as const) {
    test(`${model} takes audio and video as data, base64, and by URL, which ${passesOn ? "the provider" : "the gateway"} fetches`, async () => {
      const heard = wav(2);
      const inline = heard.toString("base64");
      const clip = `data:video/mp4;base64,${mp4.toString("base64")}`;
      const input = (data: string) => ({ type: "input_audio", input_audio: { data, format: "wav" } });
      const sound = (url: string) => ({ type: "audio_url", audio_url: { url } });
      const video = (url: string) => ({ type: "video_url", video_url: { url } });
      const inlined = `data:audio/wav;base64,${inline}`;
      const parts: [part: object, came: RegExp][] = [
        [input(inline), /1 audio clip/],
        [input(inlined), /1 audio clip/],
        [input(`${files.url}/sound.wav`), /1 audio clip/],
        [sound(inlined), /1 audio clip/],
        [sound(`${files.url}/sound.wav`), /1 audio clip/],
        [video(clip), /1 video/],
        [video(`${files.url}/clip.mp4`), /1 video/],
      ];
      files.received.length = 0;
      for (const [part, came] of parts) {
        const content = [{ type: "text", text: "What is this?" }, part];
        const response = await fleet.client.post("/v1/chat/completions", {
          model,
          messages: [{ role: "user", content }],
        });
        assert.equal(response.status, 200, `${JSON.stringify(part).slice(0, 100)}: ${response.text}`);
        const { choices, usage } = response.json<OpenAI.ChatCompletion>();
        assert.match(choices[0]?.message.content ?? "", came);
        const details = usage?.prompt_tokens_details;
        if (came.source === "1 audio clip") assert.ok((details?.audio_tokens ?? 0) > 0, JSON.stringify(details));
      }
      assert.deepEqual(files.received, passesOn ? [] : ["/sound.wav", "/sound.wav", "/clip.mp4"]);
    });
  }

  test("a video that is too long, invalid or missing is rejected and costs nothing", async () => {
    const call = async (url: string): Promise<unknown[]> => {
      const content = [{ type: "video_url", video_url: { url } }];
      const body = { model: "gemini-2.5-flash", messages: [{ role: "user", content }] };
      const response = await fleet.client.post("/v1/chat/completions", body);
      return [response.status, response.json<{ error: { code: string } }>().error.code];
    };
    for (const name of ["long.mp4", "sound.wav", "none.mp4"])
      assert.deepEqual(await call(`${files.url}/${name}`), [400, "invalid_url"], name);
    assert.deepEqual(await call(`data:video/mp4;base64,${"A".repeat(33 * 1024 * 1024)}`), [413, "payload_too_large"]);
    assert.deepEqual(await call("file:///etc/passwd"), [400, "invalid_request"]);
  });

  for (const model of ["claude-opus-5-5", "claude-haiku-4-5", "gemini-3.8-flash"]) {
    test(`${model}: returns signed thinking in both formats, and continues the conversation`, async () => {
      const request = 'think 20\ncall get_weather {"city":"Oslo"}';
      const tools = [{ name: weather.name, input_schema: weather.parameters }];
      const thinking = model === "claude-haiku-4-5" ? budget : adaptive;
      const requested = { model, max_tokens: maxTokens, tools, thinking };
      const first = await anthropic.messages
        .stream({ ...requested, messages: [{ role: "user", content: request }] })
        .finalMessage();
      const [thought] = first.content;
      assert.equal(thought?.type, "thinking");
      const use = first.content.find((block) => block.type === "tool_use") ?? assert.fail("no tool was called");
      const result = { type: "tool_result" as const, tool_use_id: use.id, content: "sunny" };
      const next = await anthropic.messages.create({
        ...requested,
        messages: [
          { role: "user", content: request },
          { role: "assistant", content: first.content },
          { role: "user", content: [result] },
        ],
      });
      assert.equal(next.stop_reason, "end_turn");

      const chat = {
        model,
        reasoning_effort: "low" as const,
        tools: [{ type: "function" as const, function: weather }],
      };
      const whole = await openai.chat.completions.create({ ...chat, messages: [{ role: "user", content: request }] });
      const message = whole.choices[0]?.message ?? assert.fail("the response has no choice");
      assert.ok((whole.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0);
      const calls = message.tool_calls ?? [];
      const responses = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sunny" }));
      const went = await openai.chat.completions.create({
        ...chat,
        messages: [{ role: "user", content: request }, message, ...responses],
      });
      assert.equal(went.choices[0]?.finish_reason, "stop");
    });
  }

  for (const model of [...models.map((one) => one.model), "claude-opus-5-5", "claude-haiku-4-5", "deepseek-flash"]) {
    test(`${model} takes histories with another model's thinking, as in LangChain's suite, and continues after another's tool call`, async () => {
      const textBlock = (text: string) => ({ type: "text" as const, text });
      const thought = { type: "thinking" as const, thinking: "I'm thinking...", signature: "abc123" };
      const history = [
        { role: "user" as const, content: [textBlock("Hello")] },
        { role: "assistant" as const, content: [thought, textBlock("Hello, how are you?")] },
        { role: "user" as const, content: [textBlock("Well, thanks.")] },
      ];
      const requested = anthropic.messages.create({ model, max_tokens: maxTokens, messages: history });
      // This model always thinks, so its provider reads the earlier thinking.
      if (model === "claude-opus-5-5") await assert.rejects(requested, /Invalid `signature` in `thinking` block/);
      else assert.equal((await requested).stop_reason, "end_turn");

      const request = 'think 20\ncall get_weather {"city":"Oslo"}';
      const tools = [{ name: weather.name, input_schema: weather.parameters }];
      const thinking = model === "claude-haiku-4-5" ? budget : adaptive;
      for (const other of ["gemini-3.8-flash", "grok-4.7"]) {
        const begun = { max_tokens: maxTokens, tools, messages: [{ role: "user" as const, content: request }] };
        const first = await anthropic.messages.create({ ...begun, model: other, thinking: adaptive });
        assert.ok(
          first.content.some((block) => block.type === "thinking"),
          other,
        );
        const use = first.content.find((block) => block.type === "tool_use") ?? assert.fail("no tool was called");
        const result = { type: "tool_result" as const, tool_use_id: use.id, content: "sunny" };
        const turns = [
          { role: "assistant" as const, content: first.content },
          { role: "user" as const, content: [result] },
        ];
        const shown = model.includes("sonnet") ? {} : { thinking };
        const next = await anthropic.messages.create({
          ...begun,
          model,
          ...shown,
          messages: [...begun.messages, ...turns],
        });
        assert.equal(next.stop_reason, "end_turn", other);
      }

      const messages = [{ role: "user" as const, content: "think 20\nsay: hello" }];
      const claude = await openai.chat.completions.create({
        model: "claude-opus-5-5",
        reasoning_effort: "low",
        messages,
      });
      const response = claude.choices[0]?.message ?? assert.fail("no choice");
      assert.ok("thinking_blocks" in response);
      const inside = {
        role: "assistant" as const,
        content: [thought, textBlock("Hello")],
      } as unknown as typeof response;
      const more = { role: "user" as const, content: "say: fine" };
      const chat = await openai.chat.completions.create({
        model,
        messages: [...messages, response, more, inside, more],
      });
      assert.equal(chat.choices[0]?.message.content, "fine");
    });
  }

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
