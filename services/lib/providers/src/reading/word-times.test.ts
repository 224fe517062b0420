import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "../failure.ts";
import { withoutWordTimes } from "./word-times.ts";

const words = Array.from({ length: 70_000 }, (_, index) => ({ word: 'a"]', start: index / 3, end: (index + 1) / 3 }));
const bytes = (value: unknown, indent?: number): Buffer => Buffer.from(JSON.stringify(value, undefined, indent));

for (const indent of [undefined, 2]) {
  test(`cuts the words of seven hours and nothing else, ${indent === undefined ? "dense" : "indented"}`, async () => {
    const rest = { text: '"words":[', segments: [{ text: "a", words: [] }], duration: 25_200 };
    const slim = await withoutWordTimes(bytes({ ...rest, words, usage: { seconds: 25_200 } }, indent));
    assert.deepEqual(JSON.parse(slim.toString("utf8")), { ...rest, words: [], usage: { seconds: 25_200 } });
  });
}

test("returns a transcript with few words unchanged", async () => {
  const body = bytes({ text: "a", words: words.slice(0, 100) });
  assert.equal(await withoutWordTimes(body), body);
});

test("rejects words that are not JSON", async () => {
  const body = bytes({ words }).toString("utf8").replace('"start":20000,', '"start" 20000,');
  await assert.rejects(
    withoutWordTimes(Buffer.from(body)),
    (error) => error instanceof UpstreamFailure && error.kind === "transient",
  );
});
