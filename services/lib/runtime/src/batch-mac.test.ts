import assert from "node:assert/strict";
import { test } from "node:test";
import { headers } from "nats";
import { copyProof, ForgedBatchError, signBatch, verifyBatch } from "./batch-mac.ts";

const chat = { publisher: "chat", key: Buffer.alloc(32, 1) };
const media = { publisher: "media", key: Buffer.alloc(32, 2) };
const data = Buffer.from("a batch");

test("accepts a batch only from the publisher that its signature names, and only unchanged", () => {
  const keys = [chat, media];
  assert.equal(verifyBatch(keys, data, signBatch(chat, data)), "chat");
  const copied = copyProof(signBatch(media, data), headers());
  assert.equal(verifyBatch(keys, data, copied), "media");
  const forged = {
    "without a signature": undefined,
    "with empty headers": headers(),
    "signed by another publisher under its name": signBatch({ ...media, publisher: "chat" }, data),
    "signed by an unknown publisher": signBatch({ publisher: "x", key: chat.key }, data),
    "signed for other data": signBatch(chat, Buffer.from("a larger batch")),
  };
  for (const [what, head] of Object.entries(forged)) {
    assert.throws(() => verifyBatch(keys, data, head), ForgedBatchError, what);
  }
});

test("accepts both keys during a rotation", () => {
  const next = { publisher: "chat", key: Buffer.alloc(32, 3) };
  for (const key of [chat, next]) assert.equal(verifyBatch([chat, next], data, signBatch(key, data)), "chat");
  assert.throws(() => verifyBatch([next], data, signBatch(chat, data)), ForgedBatchError);
});
