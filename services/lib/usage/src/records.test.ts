import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { decodeRecord, encodeBatch, encodeCheckpoint, encodeFinal, encodeStarted, isFinal } from "./records.ts";

test("a batch built from journal records decodes to exactly their events", () => {
  const events = Array.from({ length: 300 }, (_, n) =>
    UsageEvent.fromPartial({
      requestId: `req_${n}`,
      costNanoUsd: BigInt(n) * 1_000_000_007n,
      units: [{ name: "input_tokens", quantity: BigInt(n) }],
      rawUsage: Buffer.alloc(n, 65),
    }),
  );
  const batch = UsageBatch.decode(encodeBatch("h:1", "h", events.map(encodeFinal)));
  assert.deepEqual([batch.batchId, batch.holderId], ["h:1", "h"]);
  assert.deepEqual(
    batch.events.map((event) => UsageEvent.encode(event).finish()),
    events.map((event) => UsageEvent.encode(event).finish()),
  );
});

test("recognizes finals and no other records", () => {
  const event = UsageEvent.fromPartial({ requestId: "r" });
  assert.ok(isFinal(encodeFinal(event)));
  assert.ok(!isFinal(encodeStarted(event)));
  assert.ok(!isFinal(encodeCheckpoint({ requestId: "r", units: [], costNanoUsd: 0n, isUpperBound: false })));
});

test("leaves out the upstream's usage object when it would make a bill too large for a message", () => {
  const event = UsageEvent.fromPartial({ requestId: "r", accountId: "a", rawUsage: Buffer.alloc(3_000_000, 0x20) });
  const final = encodeFinal(event);
  assert.ok(final.length < 1_000);
  const record = decodeRecord(final);
  assert.ok(record.kind?.$case === "final" && record.kind.value.requestId === "r");
});
