import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { mapInTurns } from "./pace.ts";

const digits = Array.from({ length: 40 }, (_, index) => index);

test("maps a long list in short turns, in order", async () => {
  const items = Array.from({ length: 4_000 }, (_, index) => index);
  let mapped: number[] = [];
  const slow = (item: number): number =>
    Math.max(...JSON.parse(JSON.stringify(digits.map((one) => [one, digits]))).flat(2)) + item;
  await assertShortTurns(async () => {
    mapped = await mapInTurns(items, slow);
  });
  assert.deepEqual(
    mapped,
    items.map((item) => 39 + item),
  );
});
