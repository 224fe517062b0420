import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { nextTurn } from "./next-turn.ts";

const pieceMs = 5;
const everyone = Array.from({ length: 20 }, (_, index) => index);

function work(): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= pieceMs * 1_000) return;
  }
}

test("twenty waiting tasks do not run in one turn of the event loop", async () => {
  const inTurns = async (): Promise<void> => {
    for (let piece = 0; piece < 3; piece++) {
      await nextTurn();
      work();
    }
  };
  await assertShortTurns(() => Promise.all(everyone.map(inTurns)));
});

test("waiting tasks continue in arrival order", async () => {
  const order: number[] = [];
  const inTurns = async (name: number): Promise<void> => {
    for (let piece = 0; piece < 2; piece++) {
      await nextTurn();
      order.push(name);
      work();
    }
  };
  await Promise.all(everyone.map(inTurns));
  assert.deepEqual(order, [...everyone, ...everyone]);
});

test("tasks that take no time continue in the same turn", async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await Promise.all(everyone.map(() => nextTurn()));
  clearImmediate(timer);
  assert.ok(turns <= 2, `${turns} turns`);
});
