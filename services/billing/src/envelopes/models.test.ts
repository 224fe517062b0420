import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin, narrowedModels } from "./models.ts";

test("an envelope's models are never more than those of the key above it, whatever patterns name them", () => {
  const cases: [string[], string[], string[]][] = [
    [[], [], []],
    [[], ["a"], ["a"]],
    [["a"], [], ["a"]],
    [["a", "b"], ["b", "c"], ["b"]],
    [["gpt-*"], ["gpt-4*", "o3"], ["gpt-4*"]],
    [["gpt-4o"], ["gpt-*"], ["gpt-4o"]],
    [["*"], ["gpt-*"], ["gpt-*"]],
  ];
  for (const [own, allowed, both] of cases) assert.deepEqual(narrowedModels(own, allowed), both);
});

test("lists without a common model allow none, not all", () => {
  const models = narrowedModels(["a"], ["b"]);
  assert.notEqual(models.length, 0);
  assert.deepEqual(narrowedModels(models, ["c*"]), models);
});

test("a list is within another only if each of its entries is", () => {
  assert.ok(isWithin(["gpt-4o", "gpt-5*"], ["gpt-*"]));
  assert.ok(isWithin(["anything"], []));
  assert.ok(!isWithin(["gpt-*"], ["gpt-4*"]));
  assert.ok(!isWithin(["gpt-4o", "o3"], ["gpt-*"]));
});
