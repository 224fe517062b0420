import assert from "node:assert/strict";
import { test } from "node:test";
import { askParts } from "./ask-parts.ts";

const { signal } = new AbortController();

test("no more than so many parts are asked for at once, and answers keep their places", async () => {
  const parts = Array.from({ length: 20 }, (_, index) => index);
  let busy = 0;
  let most = 0;
  const { answers, failure } = await askParts(parts, {
    atOnce: 4,
    signal,
    ask: async (part) => {
      most = Math.max(most, ++busy);
      for (let turns = 0; turns < (part * 7) % 5; turns++) await Promise.resolve();
      busy--;
      return part * 2;
    },
  });
  assert.equal(most, 4);
  assert.equal(failure, undefined);
  assert.deepEqual(
    answers,
    parts.map((part) => part * 2),
  );
});

test("after a failure no part is begun, and what was under way is kept when it comes soon", async () => {
  const begun: number[] = [];
  const slow = Promise.withResolvers<string>();
  const { answers, failure } = await askParts([0, 1, 2, 3], {
    atOnce: 2,
    signal,
    ask: async (part) => {
      begun.push(part);
      if (part === 0) return slow.promise;
      setImmediate(() => slow.resolve("late"));
      throw new Error("part 1 failed");
    },
  });
  assert.deepEqual(begun, [0, 1]);
  assert.deepEqual(answers, ["late", undefined, undefined, undefined]);
  assert.match(String(failure?.thrown), /part 1 failed/);
});

test("what is under way for long after a failure is given up", async () => {
  const { answers, failure } = await askParts([0, 1], {
    atOnce: 2,
    signal,
    ask: (part, given) =>
      new Promise((_, reject) => {
        if (part === 1) reject(new Error("part 1 failed"));
        given.addEventListener("abort", () => reject(new Error("given up")));
      }),
  });
  assert.deepEqual(answers, [undefined, undefined]);
  assert.match(String(failure?.thrown), /part 1 failed/);
});
