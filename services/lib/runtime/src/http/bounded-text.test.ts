import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedText } from "./bounded-text.ts";

test("reads a text whose characters are split between chunks", async () => {
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  assert.equal(await boundedText(new Response(new Blob([first, second])).body, 2), "é");
  assert.equal(await boundedText(null, 0), "");
});

test("stops reading a body above the size", async () => {
  let sent = 0;
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        sent += 1_000;
        yield new Uint8Array(1_000);
      }
    } finally {
      isClosed = true;
    }
  }
  await assert.rejects(boundedText(endless(), 10_000), /the response has more than 10000 bytes/);
  assert.deepEqual([sent, isClosed], [11_000, true]);
});
