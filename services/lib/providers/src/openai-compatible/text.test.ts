import assert from "node:assert/strict";
import { test } from "node:test";
import { generatedText, quickText } from "./text.ts";

const chunk = (...choices: object[]) => ({ id: "c", object: "chat.completion.chunk", choices, usage: null });
const delta = (fields: object) => ({ index: 0, delta: fields, finish_reason: null });

const chunks: [text: string, chunk: object][] = [
  ["Hello", chunk(delta({ content: "Hello" }))],
  ["é🎉", chunk(delta({ content: "é🎉" }))],
  ['say "hi"\n', chunk(delta({ content: 'say "hi"\n' }))],
  ["\\", chunk(delta({ content: "\\" }))],
  ["", chunk(delta({ content: "" }))],
  ["", chunk(delta({ role: "assistant", content: null }))],
  ["Hi", chunk(delta({ role: "assistant", content: "Hi" }))],
  ["HmHi", chunk(delta({ content: "Hi", reasoning_content: "Hm" }))],
  [
    "HmHi",
    chunk(
      delta({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
          { type: "text", text: "Hi" },
        ],
      }),
    ),
  ],
  ["HmHi", chunk(delta({ reasoning_content: "Hm" }), delta({ content: "Hi" }))],
  ["ab", chunk(delta({ content: "a" }), delta({ content: "b" }))],
  ["no", chunk(delta({ content: null, refusal: "no" }))],
  ['f{"a":1}', chunk(delta({ tool_calls: [{ index: 0, function: { name: "f", arguments: '{"a":1}' } }] }))],
  ["cx", chunk(delta({ tool_calls: [{ index: 0, custom: { name: "c", input: "x" } }] }))],
  ["spoken", chunk(delta({ audio: { data: "AAAA", transcript: "spoken" } }))],
  ['"delta":{"content":"x"}', chunk(delta({ content: '"delta":{"content":"x"}' }))],
  ["", chunk()],
  ["", chunk(delta({ tool_calls: [null] }), { index: 1 })],
  ["", { error: "x" }],
];
for (const [text, value] of chunks) {
  test(`extracts the text of ${JSON.stringify(value).slice(42, 120)}`, () => {
    assert.equal(generatedText(value), text);
    assert.equal(quickText(Buffer.from(JSON.stringify(value))) ?? text, text);
  });
}

test("extracts the message's text from a complete response", () => {
  assert.equal(generatedText({ choices: [{ message: { role: "assistant", content: "Hi" } }] }), "Hi");
  assert.equal(generatedText(null), "");
});

test("extracts the text of a typical chunk without parsing its JSON", () => {
  assert.equal(quickText(Buffer.from(JSON.stringify(chunk(delta({ content: "Hello" }))))), "Hello");
});
