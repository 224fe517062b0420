import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testCall, testModel } from "../../../test/support.ts";
import { generationAdapter } from "../../registry.ts";
import { responsesFormat } from "./format.ts";

type Json = Record<string, unknown>;

const model = testModel("    reasoning: { switch: thinking, shown: true, sampling: all }");
const upstream = { ...firstUpstream(model), model: "deepseek-flash" };
const adapter = generationAdapter(responsesFormat, upstream) ?? assert.fail();
const { signal } = new AbortController();
const tools = [{ type: "function", name: "f", parameters: {} }];
const call = (input: unknown) => testCall(JSON.stringify({ model: "m", input, tools }), model);

/** The output of a first turn in which the model thought this, and called a tool. */
function firstTurn(thought: string): Json[] {
  const called = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
  const message = { role: "assistant", content: null, reasoning_content: thought, tool_calls: [called] };
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const body = { id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage };
  const { body: response } = adapter.decode(Buffer.from(JSON.stringify(body)), call("Hi"), upstream);
  return JSON.parse(response.toString()).output as Json[];
}

async function reasoningSentBack(output: readonly Json[]): Promise<unknown> {
  const result = { type: "function_call_output", call_id: "call_1", output: "ok" };
  const { body } = await adapter.encode(call([{ role: "user", content: "Hi" }, ...output, result]), upstream, signal);
  return (JSON.parse(body.toString()).messages as Json[])[1]?.["reasoning_content"];
}

test("a second turn returns the reasoning to a provider without signatures", async () => {
  const output = firstTurn("Let me see.");
  assert.equal(await reasoningSentBack(output), "Let me see.");
  const sealedOnly = output.map((item) => (item["type"] === "reasoning" ? { ...item, summary: [] } : item));
  assert.equal(await reasoningSentBack(sealedOnly), "Let me see.", "from encrypted_content alone");
  const summaryOnly = output.map(({ encrypted_content, ...item }) => item);
  assert.equal(await reasoningSentBack(summaryOnly), "Let me see.", "from the summary alone");
});

test("a second turn returns empty reasoning, which the provider requires with tool calls", async () => {
  assert.equal(await reasoningSentBack(firstTurn("")), "");
});
