import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "@uag/harness/testing/seeded-random";
import { type Frame, FrameBatch } from "@uag/proto/link/v1/link.ts";
import { BatchReader } from "./batch-reader.ts";
import { BatchWriter } from "./batch-writer.ts";
import { LinkError } from "./errors.ts";
import type { FrameSink } from "./frames.ts";
import { maxHeadBytes } from "./limits.ts";

const alphabets = [
  "abcdefghij-0123456789",
  "äöüß€",
  "日本語テキスト",
  "😀👩‍🚀",
  "\u0000\u007f\u0080\u07ff\u0800\uffff",
];

function text(random: Random): string {
  const length = random.pick([0, 1, 5, 20, 39, 40, 41, 60, 127, 128, 300, 20_000]);
  const alphabet = [...random.pick(alphabets)];
  let out = "";
  const wanted = random.int(length + 1);
  for (let i = 0; i < wanted; i++) out += random.pick(alphabet);
  return out;
}

function texts(random: Random): string[] {
  return Array.from({ length: random.int(8) }, () => text(random));
}

function uint(random: Random): number {
  return random.pick([0, 1, 127, 128, 16_383, 16_384, 2 ** 21, 2 ** 28, 2 ** 31, 2 ** 32 - 1, random.int(2 ** 32)]);
}

function kind(random: Random): NonNullable<Frame["kind"]> {
  const bytes = (): Buffer => random.bytes(random.pick([0, 1, 127, 128, 1_000, 65_536]));
  const open = () => ({
    operation: text(random),
    requestId: text(random),
    target: text(random),
    headers: texts(random),
    context: bytes(),
    deadlineMs: uint(random),
    bodyless: random.chance(0.5),
  });
  const kinds: (() => NonNullable<Frame["kind"]>)[] = [
    () => ({ $case: "open", value: open() }),
    () => ({ $case: "body", value: bytes() }),
    () => ({ $case: "end", value: {} }),
    () => ({ $case: "head", value: { status: uint(random), headers: texts(random) } }),
    () => ({ $case: "chunk", value: bytes() }),
    () => ({ $case: "trailer", value: { errorCode: text(random) } }),
    () => ({ $case: "cancel", value: { reason: text(random), refused: random.chance(0.5) } }),
    () => ({ $case: "credit", value: { bytes: uint(random) } }),
  ];
  return random.pick(kinds)();
}

function frames(random: Random): Frame[] {
  const list = Array.from({ length: 1 + random.int(12) }, () => ({
    exchange: 1 + random.int(random.pick([100, 20_000, 2 ** 32 - 2])),
    kind: kind(random),
  }));
  if (random.chance(0.3)) list.push({ exchange: 0, kind: { $case: "drain", value: {} } });
  return list as Frame[];
}

function write(writer: BatchWriter, { exchange, kind: frame }: Frame): void {
  if (frame?.$case === "open") writer.open(exchange, frame.value);
  else if (frame?.$case === "head") writer.head(exchange, frame.value.status, frame.value.headers);
  else if (frame?.$case === "body" || frame?.$case === "chunk") {
    writer.beginBytes(frame.$case, exchange, frame.value.length);
    writer.append(frame.value, 0, frame.value.length);
  } else if (frame?.$case === "end") writer.end(exchange);
  else if (frame?.$case === "trailer") writer.trailer(exchange, frame.value.errorCode);
  else if (frame?.$case === "cancel") writer.cancel(exchange, frame.value.reason, frame.value.refused);
  else if (frame?.$case === "credit") writer.credit(exchange, frame.value.bytes);
  else writer.drain();
}

function collect(into: Frame[]): FrameSink {
  const put = (exchange: number, value: NonNullable<Frame["kind"]>): void => {
    into.push({ exchange, kind: value });
  };
  return {
    onOpen: (id, open) => put(id, { $case: "open", value: { ...open, headers: [...open.headers] } }),
    onBody: (id, value) => put(id, { $case: "body", value }),
    onEnd: (id) => put(id, { $case: "end", value: {} }),
    onHead: (id, status, headers) => put(id, { $case: "head", value: { status, headers } }),
    onChunk: (id, value) => put(id, { $case: "chunk", value }),
    onTrailer: (id, errorCode) => put(id, { $case: "trailer", value: { errorCode } }),
    onCancel: (id, reason, refused) => put(id, { $case: "cancel", value: { reason, refused } }),
    onCredit: (id, bytes) => put(id, { $case: "credit", value: { bytes } }),
    onDrain: (id) => put(id, { $case: "drain", value: {} }),
  };
}

for (const seed of seeds(6)) {
  test(`the link's codec and the generated one decode each other's output (TEST_SEED=${seed})`, () => {
    const random = new Random(seed);
    const writer = new BatchWriter();
    const reader = new BatchReader();
    for (let round = 0; round < 60; round++) {
      const sent = frames(random);
      for (const frame of sent) write(writer, frame);
      const batch = writer.take();
      assert.deepEqual(FrameBatch.decode(batch).frames, sent);
      const back: Frame[] = [];
      reader.read(batch, collect(back));
      assert.deepEqual(back, sent);
      const fromGenerated: Frame[] = [];
      reader.read(Buffer.from(FrameBatch.encode({ frames: sent }).finish()), collect(fromGenerated));
      assert.deepEqual(fromGenerated, sent);
    }
  });

  test(`rejects bytes that are not a batch with a LinkError, and never reads past their end (TEST_SEED=${seed})`, () => {
    const random = new Random(seed);
    const writer = new BatchWriter();
    const reader = new BatchReader();
    for (let round = 0; round < 600; round++) {
      for (const frame of frames(random).slice(0, 3)) write(writer, frame);
      const batch = Buffer.from(random.chance(0.2) ? random.bytes(random.int(300)) : writer.take());
      for (let hits = random.int(6); hits >= 0 && batch.length > 0; hits--)
        batch[random.int(batch.length)] = random.int(256);
      try {
        reader.read(batch.subarray(0, random.int(batch.length + 1)), collect([]));
      } catch (error) {
        assert.ok(error instanceof LinkError && error.code === "protocol", String(error));
      }
    }
  });
}

test("ignores frames and fields of a later version", () => {
  // Exchange 7, unknown field 123, end.
  const frame = Buffer.from([0x08, 7, 0xda, 0x07, 2, 1, 2, 0x22, 0]);
  const batch = Buffer.concat([Buffer.from([0x12, 1, 9, 0x0a, frame.length]), frame]);
  const seen: Frame[] = [];
  new BatchReader().read(batch, collect(seen));
  assert.deepEqual(seen, [{ exchange: 7, kind: { $case: "end", value: {} } }]);
});

test("never overwrites a batch that was taken", () => {
  const writer = new BatchWriter();
  const taken: Buffer[] = [];
  for (let i = 0; i < 500; i++) {
    writer.trailer(i + 1, "x".repeat(i));
    taken.push(writer.take());
  }
  for (const [i, batch] of taken.entries()) {
    const [frame] = FrameBatch.decode(batch).frames;
    assert.deepEqual(frame, { exchange: i + 1, kind: { $case: "trailer", value: { errorCode: "x".repeat(i) } } });
  }
});

test("does not write a head that is too long, and leaves the frames before it intact", () => {
  const writer = new BatchWriter();
  writer.end(1);
  assert.equal(writer.head(2, 200, ["x", "y".repeat(maxHeadBytes)]), false);
  writer.end(3);
  assert.deepEqual(
    FrameBatch.decode(writer.take()).frames.map((frame) => frame.exchange),
    [1, 3],
  );
});

test("a retained small chunk does not keep its large batch in memory", () => {
  const writer = new BatchWriter();
  for (const size of [100_000, 2_000]) {
    writer.beginBytes("chunk", 1, size);
    writer.append(Buffer.alloc(size), 0, size);
  }
  const seen: Buffer[] = [];
  const batch = writer.take();
  new BatchReader().read(batch, { ...collect([]), onChunk: (_id, bytes) => void seen.push(bytes) });
  assert.equal(seen[0]?.buffer, batch.buffer);
  assert.notEqual(seen[1]?.buffer, batch.buffer);
});
