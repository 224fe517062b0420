import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { encodeHeader, findFrame, frameBytes, readFrame, readSalt, writeFrame } from "./frame.ts";

function build(random: () => number, salt: number): { bytes: Buffer; payloads: Buffer[] } {
  const payloads = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, n) =>
    Buffer.from(`${n}:${"x".repeat(Math.floor(random() * 300))}`),
  );
  const bytes = Buffer.alloc(payloads.reduce((sum, payload) => sum + frameBytes + payload.length, 0));
  let at = 0;
  for (const payload of payloads) at = writeFrame(bytes, at, payload, salt);
  return { bytes, payloads };
}

function readAll(bytes: Buffer, salt: number): string[] {
  const found: string[] = [];
  for (let at = 0; at !== -1 && at < bytes.length; ) {
    const frame = readFrame(bytes, at, salt);
    if (frame.kind === "record") {
      found.push(frame.payload.toString());
      at = frame.next;
    } else at = findFrame(bytes, at + 1, salt);
  }
  return found;
}

test("reads back records with any bytes as written", () => {
  const random = seededRandom(1);
  for (let n = 0; n < 200; n++) {
    const { bytes, payloads } = build(random, n);
    assert.deepEqual(readAll(bytes, n), payloads.map(String));
  }
});

test("a cut or a flipped bit anywhere never throws, never yields a record that was not written, and loses only the damaged records", () => {
  const random = seededRandom(2);
  for (let n = 0; n < 3_000; n++) {
    const salt = Math.floor(random() * 2 ** 32);
    const { bytes, payloads } = build(random, salt);
    const written = new Set(payloads.map(String));
    const flips = 1 + Math.floor(random() * 3);
    for (let flip = 0; flip < flips; flip++) {
      const at = Math.floor(random() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
    }
    const whole = readAll(bytes, salt);
    assert.ok(whole.length >= payloads.length - flips, `seed 2, round ${n}`);
    for (const text of [...whole, ...readAll(bytes.subarray(0, Math.floor(random() * bytes.length)), salt)]) {
      assert.ok(written.has(text), `seed 2, round ${n}: ${text}`);
    }
  }
});

test("does not read a record of another journal inside a payload as a record, even after damaged bytes", () => {
  const inner = Buffer.alloc(frameBytes + 5);
  writeFrame(inner, 0, Buffer.from("trick"), 7);
  const outer = Buffer.alloc(frameBytes + inner.length);
  writeFrame(outer, 0, inner, 8);
  outer.writeUInt8(outer.readUInt8(0) ^ 1, 0);
  assert.deepEqual(readAll(outer, 8), []);
});

test("reads a segment with one damaged copy of the salt in its header", () => {
  const header = encodeHeader(0xdeadbeef);
  header.writeUInt8(0, 5);
  assert.equal(readSalt(header), 0xdeadbeef);
});
