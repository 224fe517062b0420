import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../conversation/events.ts";
import { ResponseOutput } from "./output.ts";
import { readResponses } from "./read.ts";

const fields = { tools: [{ type: "custom", name: "apply_patch" }] };
const call = (json: readonly string[]): ResponseEvent[] => [
  { type: "call", candidate: 0, call: 0, id: "call_1", name: "apply_patch", signature: undefined },
  ...json.map((piece): ResponseEvent => ({ type: "input", candidate: 0, call: 0, json: piece })),
  { type: "stop", candidate: 0, reason: "tools", stopSequence: undefined },
];

function resultOf(json: readonly string[]) {
  const output = new ResponseOutput({ requestId: "r", fields });
  const events = call(json).flatMap((event) => output.take(event));
  return { events, items: output.items };
}

test("extracts a custom tool's text from the function's JSON, streamed or not", () => {
  const { events, items } = resultOf(['{"inp', 'ut":"*** Begin\\n"}']);
  const item = { id: "ctc_r_0", type: "custom_tool_call", status: "completed", call_id: "call_1", name: "apply_patch" };
  assert.deepEqual(items, [{ ...item, input: "*** Begin\n" }]);
  assert.deepEqual(
    events.map(({ type, delta, input }) => [type, delta ?? input]),
    [
      ["response.output_item.added", undefined],
      ["response.custom_tool_call_input.delta", "*** Begin\n"],
      ["response.custom_tool_call_input.done", "*** Begin\n"],
      ["response.output_item.done", undefined],
    ],
  );
});

test("uses text that is not the expected JSON as the custom tool's input", () => {
  const [item] = resultOf(["*** Begin"]).items;
  assert.equal((item as { input: string }).input, "*** Begin");
});

test("flattens a namespaced tool's name for the provider and restores tool and namespace in its call", () => {
  const inner = { type: "function", name: "close", parameters: { type: "object" } };
  const request = { input: "x", tools: [{ type: "namespace", name: "agents", tools: [inner] }] };
  assert.deepEqual(
    readResponses(request).tools.map(({ name }) => name),
    ["agents__close"],
  );
  const output = new ResponseOutput({ requestId: "r", fields: request });
  output.take({ type: "call", candidate: 0, call: 0, id: "c", name: "agents__close", signature: undefined });
  output.take({ type: "end" });
  const [item] = output.items as [Record<string, unknown>];
  assert.deepEqual([item["name"], item["namespace"], item["arguments"]], ["close", "agents", "{}"]);
  const [turn] = readResponses({ input: [item] }).turns;
  assert.equal(turn?.parts[0]?.type === "call" && turn.parts[0].name, "agents__close");
});
