import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { groupsOf } from "./series-groups.ts";
import { type Row, sums } from "./series-sums.ts";

const hourMs = 3_600_000;
const ones = Object.fromEntries(Object.keys(sums).map((name) => [name, 1]));

async function* rowsOf(groups: readonly (string | null)[], hours: number): AsyncGenerator<Row> {
  for (let hour = 0; hour < hours; hour++)
    for (const group of groups) yield { ...ones, _id: { start: new Date(hour * hourMs), group } } as Row;
}

test("sums the points of each group, in the order of cost, and all others last", async () => {
  const groups = await groupsOf(rowsOf([null, "b", "a"], 3), ["a", "b", "unused"]);
  assert.deepEqual(
    groups.map(({ name, other, total, points }) => [name, other, total?.requests, points.map((one) => one.startMs)]),
    [
      ["a", false, 3n, [0n, 3_600_000n, 7_200_000n]],
      ["b", false, 3n, [0n, 3_600_000n, 7_200_000n]],
      ["", true, 3n, [0n, 3_600_000n, 7_200_000n]],
    ],
  );
});

test("makes a series of 10,000 points in short turns", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `key_${index}`);
  await assertShortTurns(() => groupsOf(rowsOf(names, 200), names));
});
