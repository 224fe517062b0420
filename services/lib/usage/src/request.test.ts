import assert from "node:assert/strict";
import { test } from "node:test";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { decodeRecord } from "./records.ts";
import { OpenRequest, type RequestSession } from "./request.ts";

const settlement = {
  outcome: Outcome.COMPLETED,
  settlementRule: SettlementRule.COMPLETED,
  pricing: Pricing.EXACT,
  units: [{ name: "input_tokens", quantity: 9n }],
  costNanoUsd: 900n,
  upstream: "u",
  upstreamModel: "m",
  rawUsage: Buffer.from("{}"),
  attempts: 1,
  failedAttempts: [],
  status: 200,
};

/** A request whose journal refuses this many finals; delays are skipped. */
async function settledWith(refusals: number, stream: boolean) {
  const written: UsageEvent[] = [];
  const later: UsageEvent[] = [];
  const eventIn = (record: Uint8Array): UsageEvent => decodeRecord(record).kind?.value as UsageEvent;
  let left = refusals;
  let delayedMs = 0;
  const journal = {
    segment: 1,
    appendLazy: async () => {},
    append: async (record: Uint8Array) => {
      if (left-- > 0) throw new Error("ENOSPC: no space left on device");
      written.push(eventIn(record));
    },
  };
  const home = {
    holderId: "h",
    open: new Set(),
    now: () => 1_000,
    journal,
    delay: async (ms: number) => {
      delayedMs += ms;
    },
    unwritten: (_: OpenRequest, final: Uint8Array) => later.push(eventIn(final)),
  } as unknown as RequestSession;
  const request = {
    requestId: "r",
    caller: Caller.fromPartial({}),
    operation: "o",
    model: "m",
    holdNanoUsd: 1_000n,
    tokens: 1,
    priceVersion: "v",
    stream,
  };
  const outcome = await new OpenRequest(home, request, {}).settle(settlement).then(
    () => "settled",
    () => "refused",
  );
  return { outcome, written, later, delayedMs };
}

test("retries a bill that the disk refuses for seconds, writes it once and sends the response", async () => {
  for (const refusals of [1, 8]) {
    const { outcome, written, later } = await settledWith(refusals, false);
    assert.equal(outcome, "settled");
    assert.deepEqual(
      written.map(({ costNanoUsd }) => costNanoUsd),
      [900n],
    );
    assert.deepEqual(later, []);
  }
});

test("does not send a non-streamed response that cannot be billed, and does not charge it later", async () => {
  const { outcome, written, later, delayedMs } = await settledWith(1_000, false);
  assert.deepEqual([outcome, written], ["refused", []]);
  assert.ok(delayedMs > 8_000, `retried for only ${delayedMs} ms of the process's clock`);
  const [voided] = later;
  assert.equal(later.length, 1);
  assert.deepEqual([voided?.costNanoUsd, voided?.outcome, voided?.units], [0n, Outcome.FAILED, []]);
  assert.equal(voided?.settlementRule, SettlementRule.NOTHING_OWED);
});

test("charges what a stream has delivered once the disk is back", async () => {
  const { outcome, later } = await settledWith(1_000, true);
  assert.deepEqual([outcome, later.map(({ costNanoUsd }) => costNanoUsd)], ["refused", [900n]]);
});
