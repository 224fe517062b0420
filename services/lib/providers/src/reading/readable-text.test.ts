import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { readableText } from "./readable-text.ts";

test("returns the texts of a broken body, wherever it is cut into pieces", () => {
  const body = Buffer.from('{"choices":[{"message":{"content":"Hel\\nlo","reasoning" : "Hm","role":"x"}},{"text":"a');
  for (let at = 1; at < body.length; at++)
    assert.equal(readableText([body.subarray(0, at), body.subarray(at)]), "Hel\\nloHma", `cut at ${at}`);
});

for (const unit of ['"text"', '{"content":"a"},', '"text":"', '"', " ", '\\"', '"text":'.padEnd(4_096)]) {
  test(`reads 64 MiB of ${JSON.stringify(unit.slice(0, 20))} in one short turn`, async () => {
    const body = Buffer.alloc(64 * 1024 * 1024, unit);
    await assertShortTurns(async () => readableText([body]));
  });
}
