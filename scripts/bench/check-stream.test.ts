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

test("a complete stream is accepted however its bytes are split, and each chunk's delay is measured", () => {
  const events = [...chunks, finish, done];
  for (let pieces = 1; pieces <= events.join("").length; pieces++) {
    const delays = follow({ events, pieces });
    assert.equal(delays.length, 3);
    assert.ok(delays.every((delay) => delay >= 0 && delay < 60_000_000));
  }
});

test("comments between events are ignored", () => {
  assert.equal(follow({ events: [chunk(0), ": still here\n\n", chunk(1), chunk(2), finish, done] }).length, 3);
});

const wrong: Readonly<Record<string, { readonly events: readonly string[]; readonly includeUsage?: boolean }>> = {
  "a missing chunk": { events: [chunk(0), chunk(2), finish, done] },
  "a duplicated chunk": { events: [chunk(0), chunk(0), chunk(1), chunk(2), finish, done] },
  "a chunk of another request": { events: [chunk(0), chunk(1, "000000000043"), chunk(2), finish, done] },
  "a premature end": { events: [chunk(0), chunk(1), finish, done] },
  "an additional chunk": { events: [...chunks, chunk(3), finish, done] },
  "no finish_reason": { events: [...chunks, done] },
  "no [DONE]": { events: [...chunks, finish] },
  "a partial event at the end": { events: [...chunks, finish, done, "data: {"] },
  "an event after [DONE]": { events: [...chunks, finish, done, finish] },
  "unrequested usage": { events: [...chunks, finish, used, done] },
  "missing requested usage": { events: [...chunks, finish, done], includeUsage: true },
  "an error event": { events: [chunk(0), `data: {"error":{"message":"no"}}\n\n`] },
};

for (const [what, stream] of Object.entries(wrong)) {
  test(`a stream with ${what} is rejected`, () => {
    assert.throws(() => follow(stream));
  });
}

test("requested usage is accepted", () => {
  assert.equal(follow({ events: [...chunks, finish, used, done], includeUsage: true }).length, 3);
});
