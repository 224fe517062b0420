import assert from "node:assert/strict";
import { test } from "node:test";
import { steeringOf } from "./steer.ts";

test("say takes the rest of the message exactly, line ends and all", () => {
  assert.equal(steeringOf("say: two\n lines ").text, "two\n lines ");
  assert.equal(steeringOf("think 5 words\nsay: x").think, 5);
  assert.equal(steeringOf("please say: x").text, undefined);
});

test("call lines become tool calls in their order, broken JSON an empty input", () => {
  assert.deepEqual(steeringOf('call a {"x":1}\ncall b {}\ncall c {bad}').calls, [
    { name: "a", input: { x: 1 } },
    { name: "b", input: {} },
    { name: "c", input: {} },
  ]);
});

test("an ordinary message steers nothing", () => {
  assert.deepEqual(steeringOf("What is the weather like? Call me."), {
    calls: [],
    callAll: false,
    filtered: false,
    blocked: false,
  });
});
