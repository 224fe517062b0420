import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { type Line, linesOf } from "./lines.ts";

async function* inPieces(bytes: Buffer, sizes: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes();
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function all(lines: AsyncIterable<Line>): Promise<Line[]> {
  const found: Line[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test("lines are the same however the bytes arrive, and reading can resume after any of them", async () => {
  const random = seededInt(7);
  for (let round = 0; round < 200; round++) {
    const texts = Array.from({ length: random(12) }, () => "x".repeat(random(9)));
    const text = texts.join("\n") + (random(2) === 0 ? "" : "\n");
    const bytes = Buffer.from(text);
    const options = { offset: 0, line: 1, maxBytes: 5 };
    const lines = await all(
      linesOf(
        inPieces(bytes, () => 1 + random(6)),
        options,
      ),
    );
    const expected = text.split("\n");
    if (expected.at(-1) === "") expected.pop();
    assert.deepEqual(
      lines.map(({ bytes: content }) => content?.toString()),
      expected.map((line) => (line.length > 5 ? undefined : line)),
    );
    for (const { end, number } of lines) {
      const rest = linesOf(
        inPieces(bytes.subarray(end), () => 3),
        { offset: end, line: number + 1, maxBytes: 5 },
      );
      assert.deepEqual(await all(rest), lines.slice(number));
    }
  }
});
