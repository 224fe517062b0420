import assert from "node:assert/strict";
import { test } from "node:test";
import { keyChanged, limitRecall, limitRecallResponse, limitRecallSubjects, recallSubjects } from "./billing.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

test("a key change round-trips, with its digest in lower case", () => {
  const message = { key_id: "key_1", digest: "AB01" };
  assert.deepEqual(keyChanged.decode(bytes(keyChanged.encode(message))), { key_id: "key_1", digest: "ab01" });
});

test("recognizes any other payload as invalid", () => {
  for (const text of ["", "no JSON", "null", "[]", '{"key_id":"key_1"}', '{"key_id":"key_1","digest":"xyz"}'])
    assert.equal(keyChanged.decode(bytes(text)), undefined, text);
  assert.equal(limitRecall.decode(bytes('{"kind":"days","holder_id":"h","need":1,"reply_to":"r"}')), undefined);
  assert.equal(limitRecallResponse.decode(bytes('{"free_in_ms":-1}')), undefined);
});

test("a holder that does not know when a permit is free replies without a time", () => {
  assert.deepEqual(limitRecallResponse.decode(bytes(limitRecallResponse.encode({ free_in_ms: undefined }))), {});
});

test("a subject parses to the id that it was built from", () => {
  for (const family of [recallSubjects, limitRecallSubjects])
    assert.equal(family.idOf(family.of("acc_1")), "acc_1", family.all);
});
