import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { chain, chainStart, hashOf } from "../rules/entry.ts";
import { noMoney } from "../rules/money.ts";
import { entryDocument, entryMessage } from "./ledger.ts";

const event = UsageEvent.fromPartial({
  requestId: "req_1",
  accountId: "acct_1",
  units: [{ name: "input_tokens", quantity: 9_007_199_254_740_993n }],
  costNanoUsd: 9_007_199_254_740_993n,
  rawUsage: Buffer.from("{}"),
});
const row = chain(
  {
    id: "settle:req_1",
    kind: "settle",
    change: { ...noMoney, available: -3n, charged: 3n },
    requestId: "req_1",
    event,
  },
  { accountId: "acct_1", seq: 1n, previousHash: chainStart, atMs: 1_700_000_000_000 },
);

test("a row's hash never changes between versions: old ledgers stay verifiable", () => {
  assert.equal(row.hash.toString("hex"), "248a7bfbb53af242a21c166986a6ca7f0e9b3aa5bb4bf865d93dbc39dd668f3c");
});

test("a row read from its document has the same hash, even if the event lacks fields added later", () => {
  const document = entryDocument(row);
  assert.deepEqual(hashOf(entryMessage(document)), row.hash);
  const { stream: _, upstream: __, ...older } = document.event as UsageEvent;
  assert.deepEqual(hashOf(entryMessage({ ...document, event: older as UsageEvent })), row.hash);
});

test("no part of a row can change without its hash changing", () => {
  for (const change of [
    { id: "settle:req_2" },
    { accountId: "acct_2" },
    { seq: 2n },
    { kind: "grant" },
    { availableNanoUsd: -4n },
    { chargedNanoUsd: 4n },
    { atMs: 1n },
    { note: "x" },
    { event: { ...event, priceVersion: "v2" } },
    { previousHash: Buffer.alloc(32, 1) },
  ]) {
    assert.notDeepEqual(hashOf({ ...row, ...change }), row.hash, JSON.stringify(Object.keys(change)));
  }
});
