import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "./hash.ts";
import { proseOf, reasoningOf } from "./prose.ts";
import { countTokens } from "./tokens.ts";

test("reasoning has exactly the number of tokens that is billed", () => {
  for (let tokens = 0; tokens <= 400; tokens++) {
    const text = reasoningOf(randomFrom(String(tokens), "t"), tokens);
    assert.equal(countTokens(text), tokens, text);
  }
});

test("prose has exactly the requested number of words", () => {
  for (const words of [1, 2, 17, 100, 1_000]) {
    assert.equal(proseOf(randomFrom(String(words), "t"), words).split(" ").length, words);
  }
});
