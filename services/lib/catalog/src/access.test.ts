import assert from "node:assert/strict";
import { test } from "node:test";
import { mayUse } from "./access.ts";

test("a key without a list may use every model, one with a list only those on it", () => {
  assert.ok(mayUse([], "gpt-5"));
  assert.ok(mayUse(["gpt-5"], "gpt-5"));
  assert.ok(!mayUse(["gpt-5"], "gpt-5-mini"));
  assert.ok(mayUse(["gpt-4o", "gpt-5*"], "gpt-5-mini"));
  assert.ok(!mayUse(["gpt-5*"], "gpt-4o"));
  assert.ok(mayUse(["*"], "anything"));
  assert.ok(!mayUse(["gpt-*-mini"], "gpt-5-mini"), "a star is a wildcard only at the end");
});
