import assert from "node:assert/strict";
import { test } from "node:test";
import { steeringOf } from "./steer.ts";

test("say returns the rest of the message exactly, including line breaks", () => {
  assert.equal(steeringOf("say: two\n lines ").text, "two\n lines ");
  assert.equal(steeringOf("think 5 words\nsay: x").think, 5);
  assert.equal(steeringOf("please say: x").text, undefined);
});

test("call lines become tool calls in order, with an empty input for invalid JSON", () => {
  assert.deepEqual(steeringOf('call a {"x":1}\ncall b {}\ncall c {bad}').calls, [
    { name: "a", input: { x: 1 } },
    { name: "b", input: {} },
    { name: "c", input: {} },
  ]);
});

test("an ordinary message has no directives", () => {
  assert.deepEqual(steeringOf("What is the weather like? Call me."), {
    calls: [],
    callAll: false,
    filtered: false,
    blocked: false,
  });
});
