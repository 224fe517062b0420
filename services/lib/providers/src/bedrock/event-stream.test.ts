import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { UpstreamFailure } from "../failure.ts";
import { type EventMessage, EventStreamDecoder } from "./event-stream.ts";

const text = (value: string) => ({ type: "string" as const, value });
/** AWS's own implementation. */
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (value) => Buffer.from(value),
);
const encoded = (payload: string, more: object = {}): Buffer =>
  Buffer.from(
    codec.encode({
      headers: { ":event-type": text("chunk"), ":message-type": text("event"), ...more },
      body: Buffer.from(payload),
    }),
  );

function decoded(chunks: Iterable<Buffer>): EventMessage[] {
  const decoder = new EventStreamDecoder();
  const messages: EventMessage[] = [];
  for (const chunk of chunks) decoder.push(chunk, (message) => messages.push(message));
  return messages;
}

function* inPieces(bytes: Buffer, sizeOf: () => number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + sizeOf();
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** Numbers below `limit` that are the same in every run. */
function numbers(seed: string): (limit: number) => number {
  let count = 0;
  return (limit) => createHash("sha256").update(`${seed} ${count++}`).digest().readUInt32BE() % limit;
}

const failureOf = (bytes: Buffer): UpstreamFailure => {
  try {
    decoded([bytes]);
  } catch (error) {
    assert.ok(error instanceof UpstreamFailure);
    return error;
  }
  return assert.fail("decoded");
};

test("messages of AWS's encoder are decoded the same, in pieces of any size", () => {
  const random = numbers("pieces");
  const payloads = Array.from({ length: 60 }, (_, index) => `${index} ${"ü".repeat(random(index * 20 + 1))}`);
  const stream = Buffer.concat(payloads.map((payload) => encoded(payload)));
  for (const size of [1, 2, 11, 12, 13, 1_000, stream.length]) {
    const messages = decoded(inPieces(stream, () => size));
    assert.deepEqual(
      messages.map(({ payload }) => payload.toString()),
      payloads,
    );
  }
  for (let run = 0; run < 50; run++) assert.equal(decoded(inPieces(stream, () => 1 + random(300))).length, 60);
});

test("string headers are read, and headers of other types are skipped", () => {
  const [message] = decoded([
    encoded("{}", {
      yes: { type: "boolean", value: true },
      no: { type: "boolean", value: false },
      byte: { type: "byte", value: 1 },
      short: { type: "short", value: 2 },
      integer: { type: "integer", value: 3 },
      binary: { type: "binary", value: Buffer.from("abc") },
      at: { type: "timestamp", value: new Date(0) },
      id: { type: "uuid", value: "00000000-0000-4000-8000-000000000000" },
      ":exception-type": text("throttlingException"),
    }),
  ]);
  assert.deepEqual(
    [...(message?.headers ?? [])].sort(),
    [
      [":event-type", "chunk"],
      [":exception-type", "throttlingException"],
      [":message-type", "event"],
    ].sort(),
  );
});

test("a message with any byte changed is refused, and those before it are passed on", () => {
  const [first, second] = [encoded("first"), encoded("second")];
  for (let at = 0; at < second.length; at++) {
    const damaged = Buffer.concat([first, second]);
    damaged.writeUInt8((damaged[first.length + at] ?? 0) ^ (1 << (at % 8)), first.length + at);
    const decoder = new EventStreamDecoder();
    const seen: string[] = [];
    const push = () => decoder.push(damaged, ({ payload }) => seen.push(payload.toString()));
    assert.throws(push, UpstreamFailure, `byte ${at}`);
    assert.deepEqual(seen, ["first"]);
  }
});

test("random bytes end in a failure or wait for more, and never in another error", () => {
  const random = numbers("fuzz");
  const valid = encoded("a payload", { ":error-message": text("x".repeat(50)) });
  for (let run = 0; run < 3_000; run++) {
    const bytes = Buffer.from(valid.subarray(0, random(valid.length + 1)));
    for (let changes = random(4); changes > 0 && bytes.length > 0; changes--)
      bytes.writeUInt8(random(256), random(bytes.length));
    try {
      decoded(inPieces(Buffer.concat([bytes, valid]), () => 1 + random(40)));
    } catch (error) {
      assert.ok(error instanceof UpstreamFailure, String(error));
    }
  }
});

test("a message that claims to be longer than the limit is refused before it arrives", () => {
  const prelude = encoded("").subarray(0, 12);
  const codecPrelude = (total: number): Buffer => {
    const bytes = Buffer.from(prelude);
    bytes.writeUInt32BE(total, 0);
    return bytes;
  };
  assert.match(failureOf(codecPrelude(2 ** 31)).message, /damaged/, "its checksum is not that of its length");
  const huge = encoded("x".repeat(9 * 1024 * 1024)).subarray(0, 12);
  assert.match(failureOf(huge).message, /exceeds 8388608 bytes/);
});
