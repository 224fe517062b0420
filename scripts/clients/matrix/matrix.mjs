// Calls every model with every JavaScript client, with and without streaming and tools, and prints
// a line of JSON for each call: matrix.mjs RUN_JSON PACKAGE_JSON MODEL...
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The AI SDK prints its warnings to stdout.
globalThis.AI_SDK_LOG_WARNINGS = false;
const [runFile, place, ...models] = process.argv.slice(2);
const require = createRequire(place);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: OpenAI } = await load("openai");
const { default: Anthropic } = await load("@anthropic-ai/sdk");
const { generateText, jsonSchema, streamText, tool } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { ChatOpenAI } = await load("@langchain/openai");

const { api_key: apiKey, base_url } = JSON.parse(await readFile(runFile, "utf8"));
const baseURL = `${base_url}/v1`;
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const name = "get_weather";
const description = "The weather of a city.";
const maxTokens = 2_000;
const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const anthropic = new Anthropic({ authToken: apiKey, apiKey: null, baseURL: base_url, maxRetries: 0 });

const ofOpenAiChat = async ({ model, prompt, stream, tools }) => {
  const body = {
    model,
    messages: [{ role: "user", content: prompt }],
    ...(tools && { tools: [{ type: "function", function: { name, description, parameters } }] }),
  };
  const completion = stream
    ? await openai.chat.completions.stream(body).finalChatCompletion()
    : await openai.chat.completions.create(body);
  const { content, tool_calls: calls = [] } = completion.choices[0].message;
  return { text: content, inputs: calls.map((call) => JSON.parse(call.function.arguments)) };
};

const ofOpenAiResponses = async ({ model, prompt, stream, tools }) => {
  const body = { model, input: prompt, ...(tools && { tools: [{ type: "function", name, description, parameters }] }) };
  const response = stream ? await openai.responses.stream(body).finalResponse() : await openai.responses.create(body);
  const calls = response.output.filter(({ type }) => type === "function_call");
  return { text: response.output_text, inputs: calls.map((call) => JSON.parse(call.arguments)) };
};

const ofAnthropic = async ({ model, prompt, stream, tools }) => {
  const body = {
    model,
    max_tokens: maxTokens,
    messages: [{ role: "user", content: prompt }],
    ...(tools && { tools: [{ name, description, input_schema: parameters }] }),
  };
  const message = stream ? await anthropic.messages.stream(body).finalMessage() : await anthropic.messages.create(body);
  const text = message.content.map((block) => block.text ?? "").join("");
  return { text, inputs: message.content.flatMap((block) => (block.type === "tool_use" ? [block.input] : [])) };
};

const ofAiSdk =
  (modelOf) =>
  async ({ model, prompt, stream, tools }) => {
    const call = {
      model: modelOf(model),
      prompt,
      maxRetries: 0,
      ...(tools && { tools: { [name]: tool({ description, inputSchema: jsonSchema(parameters) }) } }),
    };
    const result = stream ? streamText({ ...call, onError: () => {} }) : await generateText(call);
    const calls = await result.toolCalls;
    return { text: await result.text, inputs: calls.map(({ input }) => input) };
  };

const ofLangChain = async ({ model, prompt, stream, tools }) => {
  const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 0 });
  const runnable = tools ? chat.bindTools([{ type: "function", function: { name, description, parameters } }]) : chat;
  let message;
  if (stream) for await (const chunk of await runnable.stream(prompt)) message = message?.concat(chunk) ?? chunk;
  else message = await runnable.invoke(prompt);
  return { text: message.text, inputs: (message.tool_calls ?? []).map(({ args }) => args) };
};

const aiOpenAi = createOpenAI({ apiKey, baseURL });
const aiAnthropic = createAnthropic({ authToken: apiKey, baseURL });
const clients = {
  "OpenAI SDK, chat (JavaScript)": ofOpenAiChat,
  "OpenAI SDK, responses (JavaScript)": ofOpenAiResponses,
  "Anthropic SDK (JavaScript)": ofAnthropic,
  "Vercel AI SDK, OpenAI chat": ofAiSdk((model) => aiOpenAi.chat(model)),
  "Vercel AI SDK, OpenAI responses": ofAiSdk((model) => aiOpenAi.responses(model)),
  "Vercel AI SDK, Anthropic": ofAiSdk((model) => aiAnthropic(model)),
  "LangChain, OpenAI": ofLangChain,
};

const errorOf = async (call, tools) => {
  try {
    const { text, inputs } = await call();
    if (tools) assert.deepEqual(inputs, [{ city: "Oslo" }]);
    else assert.equal(text, "hi");
    return null;
  } catch (error) {
    return String(error.message).slice(0, 300);
  }
};

for (const [client, call] of Object.entries(clients))
  for (const model of models)
    for (const stream of [false, true])
      for (const tools of [false, true]) {
        const prompt = tools ? 'call get_weather {"city":"Oslo"}' : "say: hi";
        const error = await errorOf(() => call({ model, prompt, stream, tools }), tools);
        process.stdout.write(`${JSON.stringify({ client, model, stream, tools, error })}\n`);
      }
