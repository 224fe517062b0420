import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { jsonText, jsonTextInTurns } from "./json.ts";

test("a body written in pieces equals one written at once, wherever its lists are", async () => {
  const row = { id: 2n ** 63n, none: undefined, nil: null, list: [1, undefined] };
  for (const body of [
    { object: "list", data: [row, undefined, "a"], has_more: false, next_cursor: null },
    { data: [], 'a "name"': undefined },
    { first: undefined, second: { data: [row] } },
    {},
  ]) {
    assert.equal(await jsonTextInTurns(body), jsonText(body));
  }
});

test("writes 100,000 rows in short turns", async () => {
  const data = Array.from({ length: 100_000 }, (_, index) => ({ id: `key_${index}`, cost: 5n, requests: 7n }));
  await assertShortTurns(() => jsonTextInTurns({ data }));
});
