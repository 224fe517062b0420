import assert from "node:assert/strict";
import { test } from "node:test";
import { headers } from "nats";
import { copyProof, ForgedBatchError, signBatch, verifyBatch } from "./batch-mac.ts";

const chat = { publisher: "chat", key: Buffer.alloc(32, 1) };
const media = { publisher: "media", key: Buffer.alloc(32, 2) };
const data = Buffer.from("a batch");

test("a batch is believed only from whom its proof names, and only as it was signed", () => {
  const keys = [chat, media];
  assert.equal(verifyBatch(keys, data, signBatch(chat, data)), "chat");
  const copied = copyProof(signBatch(media, data), headers());
  assert.equal(verifyBatch(keys, data, copied), "media");
  const forged = {
    "without a proof": undefined,
    "with empty headers": headers(),
    "signed by another under its name": signBatch({ ...media, publisher: "chat" }, data),
    "signed by nobody we know": signBatch({ publisher: "x", key: chat.key }, data),
    "signed for other data": signBatch(chat, Buffer.from("a larger batch")),
  };
  for (const [what, head] of Object.entries(forged)) {
    assert.throws(() => verifyBatch(keys, data, head), ForgedBatchError, what);
  }
});

test("while a key changes both are believed", () => {
  const next = { publisher: "chat", key: Buffer.alloc(32, 3) };
  for (const key of [chat, next]) assert.equal(verifyBatch([chat, next], data, signBatch(key, data)), "chat");
  assert.throws(() => verifyBatch([next], data, signBatch(chat, data)), ForgedBatchError);
});
