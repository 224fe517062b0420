import assert from "node:assert/strict";
import { test } from "node:test";
import { withCamelNames } from "./field-names.ts";

const twice = (name: string): Error => new Error(`twice: ${name}`);

test("names in snake case are those in camel case, except within arguments and schemas", () => {
  const sent = {
    generation_config: { max_output_tokens: 5, response_schema: { any_of: [{ min_items: 1 }] } },
    contents: [{ parts: [{ function_call: { name: "a_b", args: { of_his: 1 } } }] }],
  };
  assert.deepEqual(withCamelNames(sent, twice), {
    generationConfig: { maxOutputTokens: 5, responseSchema: { any_of: [{ min_items: 1 }] } },
    contents: [{ parts: [{ functionCall: { name: "a_b", args: { of_his: 1 } } }] }],
  });
});

test("a value whose names are in camel case is the same object", () => {
  const sent = { contents: [{ parts: [{ text: "a_b" }] }], generationConfig: { topK: 1 } };
  assert.equal(withCamelNames(sent, twice), sent);
});

test("a name that is there in both forms, at any depth, is an error", () => {
  const both = { generationConfig: { topK: 1, top_k: 2 } };
  assert.throws(() => withCamelNames(both, twice), /twice: topK/);
});

test("a member cannot become the prototype of its object", () => {
  const sent = JSON.parse('{"__proto__": {"tools": []}, "top_k": 1}') as object;
  const named = withCamelNames(sent, twice) as { tools?: unknown };
  assert.equal(named.tools, undefined);
  assert.deepEqual(Object.keys(named), ["__proto__", "topK"]);
});
