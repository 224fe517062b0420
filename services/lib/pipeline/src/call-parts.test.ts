import assert from "node:assert/strict";
import { test } from "node:test";
import { callParts } from "./call-parts.ts";

const { signal } = new AbortController();

test("no more than so many parts are asked for at once, and answers keep their places", async () => {
  const parts = Array.from({ length: 20 }, (_, index) => index);
  let busy = 0;
  let max = 0;
  const { responses, failure } = await callParts(parts, {
    atOnce: 4,
    signal,
    call: async (part) => {
      max = Math.max(max, ++busy);
      for (let turns = 0; turns < (part * 7) % 5; turns++) await Promise.resolve();
      busy--;
      return part * 2;
    },
  });
  assert.equal(max, 4);
  assert.equal(failure, undefined);
  assert.deepEqual(
    responses,
    parts.map((part) => part * 2),
  );
});

test("after a failure no part is begun, and what was under way is kept when it comes soon", async () => {
  const begun: number[] = [];
  const slow = Promise.withResolvers<string>();
  const { responses, failure } = await callParts([0, 1, 2, 3], {
    atOnce: 2,
    signal,
    call: async (part) => {
      begun.push(part);
      if (part === 0) return slow.promise;
      setImmediate(() => slow.resolve("late"));
      throw new Error("part 1 failed");
    },
  });
  assert.deepEqual(begun, [0, 1]);
  assert.deepEqual(responses, ["late", undefined, undefined, undefined]);
  assert.match(String(failure?.thrown), /part 1 failed/);
});

test("what is under way for long after a failure is given up", async () => {
  const { responses, failure } = await callParts([0, 1], {
    atOnce: 2,
    signal,
    call: (part, given) =>
      new Promise((_, reject) => {
        if (part === 1) reject(new Error("part 1 failed"));
        given.addEventListener("abort", () => reject(new Error("given up")));
      }),
  });
  assert.deepEqual(responses, [undefined, undefined]);
  assert.match(String(failure?.thrown), /part 1 failed/);
});
