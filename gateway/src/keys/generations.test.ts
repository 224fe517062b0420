import assert from "node:assert/strict";
import { test } from "node:test";
import { Generations } from "./generations.ts";

test("never holds more than its limit, and keeps what is in use", () => {
  const map = new Generations<number>(10);
  map.set("hot", 1);
  for (let i = 0; i < 1_000; i++) {
    map.set(`k${i}`, i);
    assert.equal(map.get("hot"), 1);
    assert.ok(map.size <= 10);
  }
  assert.equal(map.get("k0"), undefined);
});

test("what is deleted is gone from both generations", () => {
  const map = new Generations<number>(4);
  for (const key of ["a", "b", "c"]) map.set(key, 1);
  for (const key of ["a", "b", "c"]) map.delete(key);
  assert.equal(map.size, 0);
});
