import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkOf, lastChunk } from "./event-chunk.ts";

test("chunks of any length reassemble to the original bytes", () => {
  const pieces = [1, 9, 15, 16, 17, 255, 256, 4_095, 4_096, 65_536].map((size) => Buffer.alloc(size, size & 0xff));
  const texts = [...pieces.map(chunkOf), lastChunk];
  let wire = Buffer.concat(texts.map((text) => Buffer.from(text, "latin1")));
  const found: Buffer[] = [];
  for (;;) {
    const lineEnd = wire.indexOf("\r\n");
    const size = Number.parseInt(wire.toString("latin1", 0, lineEnd), 16);
    const bytes = wire.subarray(lineEnd + 2, lineEnd + 2 + size);
    assert.equal(wire.toString("latin1", lineEnd + 2 + size, lineEnd + 4 + size), "\r\n");
    wire = wire.subarray(lineEnd + 4 + size);
    if (size === 0) break;
    found.push(bytes);
  }
  assert.equal(wire.length, 0);
  assert.deepEqual(found, pieces);
});
