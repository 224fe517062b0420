import assert from "node:assert/strict";
import { test } from "node:test";
import { countCharacters } from "./count.ts";
import { splitText } from "./split.ts";

const at = (max: number) => ({ max, ideographWeight: 2 });

test("splits text after sentences that fit, else at lesser pauses", () => {
  assert.deepEqual(splitText("One two three. Four five six! Seven.", at(20)), [
    "One two three. ",
    "Four five six! ",
    "Seven.",
  ]);
  assert.deepEqual(splitText("你好，世界。今天很好。", at(14)), ["你好，世界。", "今天很好。"]);
  assert.deepEqual(splitText("alpha beta, gamma delta", at(15)), ["alpha beta, ", "gamma delta"]);
  assert.deepEqual(splitText("alpha beta gamma", at(12)), ["alpha beta ", "gamma"]);
  assert.deepEqual(splitText('He read "stop." Then left.', at(18)), ['He read "stop." ', "Then left."]);
});

test("a decimal point or a dot in a name does not end a sentence", () => {
  assert.deepEqual(splitText("It is 3.1415926 or so", at(12)), ["It is ", "3.1415926 ", "or so"]);
});

test("a short text is one piece, and an empty one is none", () => {
  assert.deepEqual(splitText("a. b. c.", at(600)), ["a. b. c."]);
  assert.deepEqual(splitText("", at(600)), []);
});

test("does not split an emoji", () => {
  const family = "👨‍👩‍👧";
  assert.deepEqual(splitText(family.repeat(3), at(12)), [family.repeat(2), family]);
});

test("the pieces add up to the text and none is too long, for any characters", () => {
  const parts = [
    "word ",
    "你好",
    "。",
    "! ",
    "\n\n",
    "👨‍👩‍👧",
    "e\u0301\u0301",
    "か",
    "  ",
    "3.14",
    ", ",
    "𠮷",
    "…",
    "x".repeat(9),
  ];
  let state = 99;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: random(60) }, () => parts[random(parts.length)]).join("");
    const max = 2 + random(40);
    const pieces = splitText(text, at(max));
    assert.equal(pieces.join(""), text);
    for (const piece of pieces) {
      assert.ok(piece !== "" && piece.isWellFormed());
      assert.ok(countCharacters(piece, 2) <= max, `${JSON.stringify(piece)} is over ${max}`);
    }
  }
});
