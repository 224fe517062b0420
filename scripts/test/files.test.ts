import assert from "node:assert/strict";
import { test } from "node:test";
import { isSelected, kindOf } from "./files.ts";

test("a test's kind is read from its file name", () => {
  assert.equal(kindOf("services/lib/runtime/src/ids.test.ts"), "unit");
  assert.equal(kindOf("services/billing/test/settle.contract.test.ts"), "contract");
  assert.equal(kindOf("services/dev/e2e/test/chat.e2e.test.ts"), "e2e");
  assert.equal(kindOf("services/dev/proofs/test/roll.long.test.ts"), "long");
});

test("a file runs if its kind and one of the patterns match", () => {
  const file = "services/billing/test/settle.contract.test.ts";
  const none = { kinds: new Set<never>(), patterns: [] };
  assert.equal(isSelected(file, none), true);
  assert.equal(isSelected(file, { ...none, patterns: ["chat", "settle"] }), true);
  assert.equal(isSelected(file, { ...none, patterns: ["chat"] }), false);
  assert.equal(isSelected(file, { kinds: new Set(["unit"] as const), patterns: ["settle"] }), false);
});

test("a long test runs only if its kind or a pattern selects it", () => {
  const file = "services/dev/proofs/test/roll.long.test.ts";
  const none = { kinds: new Set<never>(), patterns: [] };
  assert.equal(isSelected(file, none), false);
  assert.equal(isSelected(file, { ...none, kinds: new Set(["long"] as const) }), true);
  assert.equal(isSelected(file, { ...none, patterns: ["roll"] }), true);
});
