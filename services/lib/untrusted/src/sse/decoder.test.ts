import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { SseDecoder, SseTooLargeError } from "./decoder.ts";
import { encodeSse } from "./encoder.ts";
import type { SseEvent } from "./event.ts";

function decode(pieces: Buffer[]): {
  events: SseEvent[];
  seen: { name: string; id: string; text: string }[];
  raw: Buffer;
} {
  const decoder = new SseDecoder();
  const events = pieces.flatMap((piece) => decoder.push(piece));
  const last = decoder.end();
  if (last !== undefined) events.push(last);
  const seen = events
    .filter((event) => event.data !== undefined)
    .map((event) => ({ name: event.name, id: event.id, text: event.text }));
  return { events, seen, raw: Buffer.concat(events.map((event) => event.raw)) };
}

const one = (text: string) => decode([Buffer.from(text)]).seen;

test("understands every form of line end and field", () => {
  const plain = [{ name: "", id: "", text: "a" }];
  assert.deepEqual(one("data: a\n\n"), plain);
  assert.deepEqual(one("data:a\n\n"), plain);
  assert.deepEqual(one("data: a\r\n\r\n"), plain);
  assert.deepEqual(one("data: a\r\r"), plain);
  assert.deepEqual(one("data: a\n\r\n"), plain);
  assert.deepEqual(one("\ufeffdata: a\n\n"), plain);
  assert.deepEqual(one(": hi\ndata: a\n\n"), plain);
  assert.deepEqual(one("data: a\nretry: 3\nfoo\n\n"), plain);
  assert.deepEqual(one("data: a"), plain);
  assert.deepEqual(one("data: a\n"), plain);
  assert.deepEqual(one("data:  a\n\n"), [{ name: "", id: "", text: " a" }]);
  assert.deepEqual(one("data\n\n"), [{ name: "", id: "", text: "" }]);
  assert.deepEqual(one("data: a\ndata\ndata: b\n\n"), [{ name: "", id: "", text: "a\n\nb" }]);
  assert.deepEqual(one("event: message_start\nid: 7\ndata: {}\n\n"), [{ name: "message_start", id: "7", text: "{}" }]);
  assert.deepEqual(one("event:x\r\ndata:1\r\n\r\nevent:y\r\ndata:2\r\n\r\n"), [
    { name: "x", id: "", text: "1" },
    { name: "y", id: "", text: "2" },
  ]);
  assert.deepEqual(one("data: [DONE]\n\n")[0]?.text, one("data:[DONE]\n\n")[0]?.text);
  assert.deepEqual(one(""), []);
  assert.deepEqual(one("\n\n\n"), []);
  assert.deepEqual(one("database: x\n\n"), []);
});

test("comments keep their bytes and dispatch no event", () => {
  const { events } = decode([Buffer.from(": ping\n\ndata: a\n\n")]);
  assert.equal(events[0]?.data, undefined);
  assert.equal(events[0]?.raw.toString(), ": ping\n\n");
});

test("returns an event with the push that brings its last byte, whatever the line end", () => {
  for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
    const decoder = new SseDecoder();
    const bytes = Buffer.from(`data: a${end}`);
    assert.equal(decoder.push(bytes.subarray(0, -1)).length, end === "\r\n\r\n" ? 1 : 0);
    if (end !== "\r\n\r\n") assert.equal(decoder.push(bytes.subarray(-1)).length, 1);
  }
});

test("decodes an event of 1 MiB that arrives byte by byte in linear time", () => {
  const bytes = Buffer.from(`data: ${"x".repeat(1024 * 1024)}\n\n`);
  const decoder = new SseDecoder();
  const events = [];
  for (let i = 0; i < bytes.length; i++) events.push(...decoder.push(bytes.subarray(i, i + 1)));
  assert.equal(events.length, 1);
  assert.equal(events[0]?.data?.length, 1024 * 1024);
});

test("joins many data lines of one event in linear time", () => {
  const { seen } = decode([Buffer.from(`${"data: x\n".repeat(200_000)}\n`)]);
  assert.equal(seen[0]?.text.length, 399_999);
});

test("rejects an endless event at the limit", () => {
  const decoder = new SseDecoder({ maxEventBytes: 100 });
  assert.throws(() => {
    for (let i = 0; i < 20; i++) decoder.push(Buffer.from("data: xxxxxxxxxx"));
  }, SseTooLargeError);
  assert.equal(new SseDecoder({ maxEventBytes: 100 }).push(Buffer.from("data: x\n\n".repeat(50))).length, 50);
});

test("decodes encoded events to the same events", () => {
  assert.deepEqual(decode([encodeSse({ name: "error", data: '{"a":1}' })]).seen, [
    { name: "error", id: "", text: '{"a":1}' },
  ]);
  assert.equal(decode([encodeSse({ data: "a\nb\r\nc" })]).seen[0]?.text, "a\nb\nc");
  assert.deepEqual(decode([Buffer.from(": ping\n\n")]).seen, []);
});

test("any split of the bytes yields the same events, whose raw bytes equal the input without its byte order mark", () => {
  const words = [
    "",
    "data",
    "data:",
    "data: ",
    "event: e",
    "id: 1",
    ": c",
    "é漢🎉",
    "x",
    " ",
    ":",
    "\ufeff",
    '{"a":1}',
    "[DONE]",
  ];
  const ends = ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r", ""];
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = seededRandom(seed);
    const pick = <T>(list: T[]): T => list[Math.floor(next() * list.length)] as T;
    const bytes = Buffer.from(
      Array.from({ length: 1 + Math.floor(next() * 12) }, () => pick(words) + pick(ends)).join(""),
    );
    const whole = decode([bytes]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(next() * (next() < 0.5 ? 2 : 20));
      // Copied, so that a decoder reading beyond its piece is caught.
      pieces.push(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
    }
    const split = decode(pieces);
    const context = `seed ${seed}: ${JSON.stringify(bytes.toString())}`;
    assert.deepEqual(split.seen, whole.seen, context);
    const expected = bytes.toString().startsWith("\ufeff") ? bytes.subarray(3) : bytes;
    assert.ok(whole.raw.equals(expected), context);
    assert.ok(split.raw.equals(expected), context);
  }
});
