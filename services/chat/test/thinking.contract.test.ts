import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { startChat } from "./support.ts";

type Json = Record<string, unknown>;

let simulator: ChildProcess;
let harness: OperationsHarness;

before(async () => {
  const main = fileURLToPath(import.meta.resolve("@uag/simulator/main"));
  const env = { ...process.env, PORT: "0", DATA_DIR: undefined, SIM_FAULTS: undefined };
  simulator = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(simulator.stdout !== null);
  let url = "";
  for await (const line of createInterface(simulator.stdout)) {
    url = /http:\S+/.exec(line)?.[0] ?? "";
    if (url !== "") break;
  }
  harness = await startChat({
    catalog: `providers:
  v: { protocol: openai, base_url: "${url}/vendor/v1", api_key: sk-simulator-key }
  q: { protocol: dashscope, base_url: "${url}/dashscope", api_key: sk-simulator-key }
  o: { protocol: openai, base_url: "${url}/openai/v1", api_key: sk-simulator-key }
models:
  - &m { id: deepseek-flash, owned_by: o, created: 0, operations: [chat.completions, messages, responses], context_tokens: 128000, max_output_tokens: 4096, price: { input_tokens: 1, cached_input_tokens: 0.1, output_tokens: 2 }, upstreams: [{ provider: v }], reasoning: { efforts: [low, high, max], switch: thinking, shown: true, sampling: all } }
  - { <<: *m, id: qwen-plus, upstreams: [{ provider: q }], reasoning: { switch: enable_thinking, default_effort: none, shown: true, sampling: all } }
  - { <<: *m, id: gpt-5.2, upstreams: [{ provider: o }], output_cap_field: max_completion_tokens, reasoning: { efforts: [none, low, medium, high, xhigh], default_effort: none } }
`,
  });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  simulator.kill();
  if (simulator.exitCode === null) await once(simulator, "exit");
});

async function called(operation: "messages" | "responses", request: object): Promise<Json> {
  const { status, text } = await harness.call(operation, request);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Json;
}

const user = (content: string) => [{ role: "user", content }];
const reasoningOf = ({ usage }: Json): unknown =>
  ((usage as Json)["output_tokens_details"] as Json | undefined)?.["reasoning_tokens"];
const hasThinking = ({ content }: Json): boolean => (content as Json[]).some(({ type }) => type === "thinking");
const hasReasoning = ({ output }: Json): boolean => (output as Json[]).some(({ type }) => type === "reasoning");

for (const model of ["deepseek-flash", "qwen-plus"]) {
  test(`messages enable and disable the thinking of ${model}`, async () => {
    const request = { model, max_tokens: 2_000, messages: user("Why is the sky blue?") };
    const on = { type: "enabled", budget_tokens: 1_024 };
    assert.equal(hasThinking(await called("messages", { ...request, thinking: on })), true);
    assert.equal(hasThinking(await called("messages", { ...request, thinking: { type: "disabled" } })), false);
  });

  test(`responses enable and disable the reasoning of ${model}`, async () => {
    const request = { model, input: "Why is the sky blue?" };
    assert.equal(hasReasoning(await called("responses", { ...request, reasoning: { effort: "high" } })), true);
    assert.equal(hasReasoning(await called("responses", { ...request, reasoning: { effort: "none" } })), false);
  });
}

test("adaptive thinking enables reasoning for a model that does not reason by default", async () => {
  const request = { model: "gpt-5.2", input: "Why is the sky blue?" };
  assert.equal(reasoningOf(await called("responses", request)), 0);
  const messages = { model: "gpt-5.2", max_tokens: 4_000, messages: user("Why?"), thinking: { type: "adaptive" } };
  const { usage } = await called("messages", messages);
  const { thinking_tokens } = ((usage as Json)["output_tokens_details"] ?? {}) as { thinking_tokens?: number };
  assert.ok((thinking_tokens ?? 0) > 0, JSON.stringify(usage));
});

test("a second turn with a tool's result keeps the reasoning that DeepSeek requires", async () => {
  const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }];
  const request = { model: "deepseek-flash", tools, reasoning: { effort: "high" } };
  const input = user("call look {}");
  const { output } = await called("responses", { ...request, input });
  const items = output as Json[];
  const call = items.find(({ type }) => type === "function_call") ?? assert.fail(JSON.stringify(items));
  const result = { type: "function_call_output", call_id: call["call_id"], output: "Blue." };
  const second = await called("responses", { ...request, input: [...input, ...items, result] });
  assert.equal(second["status"], "completed");
  // The provider's rule holds for clients that drop the reasoning as well.
  const bare = items.filter(({ type }) => type !== "reasoning");
  await called("responses", { ...request, input: [...input, ...bare, result] });
});
