// Runs agents of LangChain and of OpenAI's Agents SDK against a running gateway:
// javascript-agents.mjs RUN_JSON MODEL...
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [runFile, place, ...models] = process.argv.slice(2);
const require = createRequire(place);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { createAgent, tool } = await load("langchain");
const { ChatOpenAI } = await load("@langchain/openai");
const { ChatAnthropic } = await load("@langchain/anthropic");
const {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run: runAgent,
  setTracingDisabled,
  tool: agentTool,
} = await load("@openai/agents");
const { default: OpenAI } = await load("openai");
const { z } = await load("zod");

const { api_key: apiKey, base_url } = JSON.parse(await readFile(runFile, "utf8"));
const baseURL = `${base_url}/v1`;
const ask = 'How is the weather?\ncall get_weather {"city":"Oslo"}';
/**
 * A question, the call of the tool, its result, the response; one more call and result may come
 * between.
 */
const maxTurns = 6;
const named = { name: "get_weather", description: "The weather of a city." };
const city = z.object({ city: z.string() });
let asked = 0;
const weather = async () => {
  asked++;
  return "sunny";
};

setTracingDisabled(true);
for (const model of models) {
  const chatModels = [
    new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 0 }),
    new ChatAnthropic({
      model,
      apiKey: "unused",
      anthropicApiUrl: base_url,
      clientOptions: { defaultHeaders: { authorization: `Bearer ${apiKey}` } },
      maxRetries: 0,
      maxTokens: 2_000,
    }),
  ];
  for (const chatModel of chatModels) {
    asked = 0;
    const agent = createAgent({ model: chatModel, tools: [tool(weather, { ...named, schema: city })] });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: ask }] }, { recursionLimit: 10 });
    assert.ok(asked > 0 && messages.length <= maxTurns, `${model}: ${asked} calls, ${messages.length} turns`);
    assert.ok(messages.at(-1).text.length > 0);
  }
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  for (const Served of [OpenAIChatCompletionsModel, OpenAIResponsesModel]) {
    asked = 0;
    const agent = new Agent({
      name: "weather",
      model: new Served(client, model),
      tools: [agentTool({ ...named, parameters: city, execute: weather })],
    });
    const { finalOutput } = await runAgent(agent, ask, { maxTurns: 4 });
    assert.ok(asked > 0 && finalOutput, `${model}: ${Served.name}`);
  }
  process.stdout.write(
    `  ${model}: agents of LangChain through both formats, and of OpenAI's SDK through both of its own\n`,
  );
}
