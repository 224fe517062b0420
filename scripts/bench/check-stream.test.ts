import assert from "node:assert/strict";
import { test } from "node:test";
import { StreamCheck } from "./check-stream.ts";
import { chunkMark, monotonicUs } from "./responses.ts";

const nonce = "000000000042";

function chunk(index: number, of = nonce): string {
  const text = `${chunkMark(index, of)}${String(monotonicUs()).padStart(16, "0")} token`;
  return `data: {"choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}],"usage":null}\n\n`;
}
const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`;
const used = `data: {"choices":[],"usage":{"total_tokens":3}}\n\n`;
const done = "data: [DONE]\n\n";

function follow(options: {
  readonly events: readonly string[];
  readonly includeUsage?: boolean;
  readonly pieces?: number;
}) {
  const delays: number[] = [];
  const check = new StreamCheck({
    nonce,
    shape: { chunks: 3, intervalMs: 1, includeUsage: options.includeUsage ?? false },
    arrived: (delayUs) => delays.push(delayUs),
  });
  const bytes = Buffer.from(options.events.join(""));
  const size = Math.ceil(bytes.length / (options.pieces ?? 1));
  for (let at = 0; at < bytes.length; at += size) check.push(bytes.subarray(at, at + size));
  check.end();
  return delays;
}

const chunks = [chunk(0), chunk(1), chunk(2)];

test("a whole stream passes however its bytes are split, and the way of each chunk is timed", () => {
  const events = [...chunks, finish, done];
  for (let pieces = 1; pieces <= events.join("").length; pieces++) {
    const delays = follow({ events, pieces });
    assert.equal(delays.length, 3);
    assert.ok(delays.every((delay) => delay >= 0 && delay < 60_000_000));
  }
});

test("comments between events are no events", () => {
  assert.equal(follow({ events: [chunk(0), ": still here\n\n", chunk(1), chunk(2), finish, done] }).length, 3);
});

const wrong: Readonly<Record<string, { readonly events: readonly string[]; readonly includeUsage?: boolean }>> = {
  "a missing chunk": { events: [chunk(0), chunk(2), finish, done] },
  "a doubled chunk": { events: [chunk(0), chunk(0), chunk(1), chunk(2), finish, done] },
  "a chunk of another request": { events: [chunk(0), chunk(1, "000000000043"), chunk(2), finish, done] },
  "an end too early": { events: [chunk(0), chunk(1), finish, done] },
  "a chunk too many": { events: [...chunks, chunk(3), finish, done] },
  "no finish_reason": { events: [...chunks, done] },
  "no [DONE]": { events: [...chunks, finish] },
  "half an event at the end": { events: [...chunks, finish, done, "data: {"] },
  "something after [DONE]": { events: [...chunks, finish, done, finish] },
  "usage that was not asked for": { events: [...chunks, finish, used, done] },
  "no usage though it was asked for": { events: [...chunks, finish, done], includeUsage: true },
  "an error event": { events: [chunk(0), `data: {"error":{"message":"no"}}\n\n`] },
};

for (const [what, stream] of Object.entries(wrong)) {
  test(`${what} makes a stream wrong`, () => {
    assert.throws(() => follow(stream));
  });
}

test("usage passes when it was asked for", () => {
  assert.equal(follow({ events: [...chunks, finish, used, done], includeUsage: true }).length, 3);
});
