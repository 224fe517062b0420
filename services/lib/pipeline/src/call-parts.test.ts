import assert from "node:assert/strict";
import { test } from "node:test";
import { callParts } from "./call-parts.ts";

const { signal } = new AbortController();

test("limits concurrent parts and returns their responses in order", async () => {
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

test("after a failure starts no part, and keeps responses in flight that arrive within the grace period", async () => {
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

test("aborts parts that exceed the grace period after a failure", async () => {
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
