import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameBatch } from "@uag/proto/link/v1/link.ts";
import { BatchWriter } from "./batch-writer.ts";
import { LinkError } from "./errors.ts";
import { highWaterBytes, maxFrameBytes, windowBytes } from "./limits.ts";
import { Outbox } from "./outbox.ts";

/** Emits everything credit allows; returns the bytes of each frame. */
function emitAll(outbox: Outbox): Buffer[] {
  const writer = new BatchWriter();
  while (outbox.sendable) outbox.emit(writer, "body", 1);
  return FrameBatch.decode(writer.take()).frames.map(({ kind }) =>
    kind?.$case === "body" ? kind.value : Buffer.alloc(0),
  );
}

test("splits long chunks, combines small pending ones, and never exceeds the window", () => {
  const outbox = new Outbox({ replayable: false });
  for (let i = 0; i < 100; i++) outbox.push(Buffer.from("ab"));
  outbox.push(Buffer.alloc(windowBytes, "c"));
  const frames = emitAll(outbox);
  assert.deepEqual(
    frames.map((frame) => frame.length),
    Array.from({ length: 4 }, () => maxFrameBytes),
  );
  assert.equal(frames[0]?.toString("latin1", 0, 202), `${"ab".repeat(100)}cc`);
  assert.equal(outbox.addCredit(windowBytes), true);
  assert.deepEqual(emitAll(outbox), [Buffer.alloc(200, "c")]);
  assert.equal(outbox.empty, true);
  assert.equal(outbox.addCredit(windowBytes), false);
});

test("a rewound outbox sends everything again, later writes included, until it is committed", () => {
  const outbox = new Outbox({ replayable: true });
  outbox.push(Buffer.from("one "));
  outbox.push(Buffer.alloc(windowBytes, "x"));
  const first = Buffer.concat(emitAll(outbox));
  assert.equal(first.length, windowBytes);
  outbox.rewind();
  assert.deepEqual(Buffer.concat(emitAll(outbox)), first);
  outbox.push(Buffer.from(" two"));
  outbox.commit();
  outbox.addCredit(1_000);
  assert.equal(Buffer.concat(emitAll(outbox)).toString(), "xxxx two");
});

test("a writer waits only above the high-water mark, until the bytes are sent or dropped", async () => {
  const outbox = new Outbox({ replayable: false });
  assert.equal(outbox.push(Buffer.alloc(highWaterBytes - 1)), true);
  await outbox.drained();
  assert.equal(outbox.push(Buffer.alloc(1)), false);
  const left = outbox.drained();
  emitAll(outbox);
  await left;
  outbox.push(Buffer.alloc(windowBytes + highWaterBytes));
  const never = outbox.drained();
  outbox.close(new LinkError("cancelled", "left"));
  await assert.rejects(never, { code: "cancelled" });
  await assert.rejects(outbox.drained(), { code: "cancelled" });
});
