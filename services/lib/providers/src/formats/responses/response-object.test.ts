import assert from "node:assert/strict";
import { test } from "node:test";
import { responseObject } from "./response-object.ts";

/** https://www.openresponses.org/reference, ResponseResource. */
const required = `id object created_at completed_at status incomplete_details model previous_response_id instructions
  output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty
  top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata
  safety_identifier prompt_cache_key`.split(/\s+/);

const call = (fields: Record<string, unknown>) => ({ body: Buffer.from(JSON.stringify(fields)), fields });
const state = { id: "resp_1", model: "m", createdAt: 1, output: [], tokens: undefined } as const;

test("a response has every field that the Open Responses specification requires", () => {
  const response = responseObject(call({ model: "m", input: "x" }), { ...state, stop: "stop" });
  for (const name of required) assert.ok(name in response, name);
});

test("only a completed response has the time when it was completed", () => {
  const completedAt = (stop: "stop" | "length" | undefined) => {
    const response: { completed_at?: number | null } = responseObject(call({}), { ...state, stop });
    return response.completed_at;
  };
  assert.ok(Number(completedAt("stop")) > 1_700_000_000);
  assert.equal(completedAt("length"), null);
  assert.equal(completedAt(undefined), null);
});

test("a function in a response has all its fields, and other tools are repeated unchanged", () => {
  const tools = [{ type: "function", name: "f" }, { type: "web_search" }];
  const response: { tools?: unknown } = responseObject(call({ tools }), { ...state, stop: "stop" });
  assert.deepEqual(response.tools, [
    { type: "function", name: "f", description: null, parameters: null, strict: false },
    { type: "web_search" },
  ]);
});
