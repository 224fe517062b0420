import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { JournalRecord } from "@uag/proto/metering/v1/journal.ts";
import { SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { EventEncoder } from "./event-encoder.ts";
import { encodeFinal, encodeStarted } from "./records.ts";

/** The tag of `JournalRecord.final`: field 3, length-delimited. */
const finalTag = 0x1a;

const letters = ["a", "Z", "_", "\u007f", "\u0080", "é", "漢", "😀", "\ud800"];
const integers = [0n, 1n, 127n, 128n, 2n ** 31n, 2n ** 32n + 5n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, -1n];
const lengths = [0, 1, 3, 22, 40, 126, 127, 128, 129, 300, 20_000];

function randomEvent(seed: number): UsageEvent {
  const random = seededInt(seed);
  const among = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const plain = (): string => "req_0abcXYZ".repeat(2).slice(0, random(23));
  const odd = (): string => Array.from({ length: among(lengths.slice(0, -1)) }, () => among(letters)).join("");
  const text = (): string => (random(3) === 0 ? odd() : random(8) === 0 ? "x".repeat(among(lengths)) : plain());
  const integer = (): bigint => (random(2) === 0 ? among(integers) : BigInt(random(2 ** 32)) * 1_000n);
  const small = (): number => (random(2) === 0 ? random(5) : random(2 ** 32));
  return {
    requestId: text(),
    accountId: text(),
    keyId: text(),
    holderId: text(),
    grantId: text(),
    operation: text(),
    model: text(),
    upstream: text(),
    upstreamModel: text(),
    startedAtMs: integer(),
    endedAtMs: integer(),
    settlementRule: SettlementRule.DRAINED,
    outcome: random(5) as UsageEvent["outcome"],
    pricing: random(4) as UsageEvent["pricing"],
    units: Array.from({ length: random(4) }, () => ({ name: text(), quantity: integer() })),
    holdNanoUsd: integer(),
    costNanoUsd: integer(),
    priceVersion: text(),
    rawUsage: Buffer.alloc(random(10) === 0 ? 3_000_000 : among(lengths), 65),
    attempts: small(),
    status: small(),
    stream: random(2) === 0,
    firstByteMs: among([undefined, 0, 1, small()]),
    failedAttempts: Array.from({ length: among([0, 0, 1, 16]) }, () => ({
      upstream: text(),
      upstreamModel: text(),
      failure: text(),
      afterMs: small(),
      durationMs: small(),
      status: random(600),
      code: among([undefined, text() || "c"]),
      message: among([undefined, text() || "m"]),
      upstreamRequestId: among([undefined, text() || "r"]),
      midStream: random(2) === 0,
      credential: text(),
      upstreamReason: among([undefined, text() || "p"]),
      credentialReason: among([undefined, text() || "a"]),
    })),
    budgetIds: Array.from({ length: among([0, 0, 1, 4]) }, () => text() || "b"),
    clientRequestId: among([undefined, text() || "c"]),
    catalogVersion: among([undefined, text() || "v"]),
    upstreamRequestId: among([undefined, text() || "u"]),
    upstreamCredential: among([undefined, text() || "k"]),
    upstreamCredentialId: among([undefined, text() || "c"]),
    upstreamCostNanoUsd: among([undefined, 0n, 12_345n]),
    requestedModel: among([undefined, text() || "m"]),
    fallbackReason: among([undefined, text() || "f"]),
    upstreamReason: among([undefined, text() || "p"]),
    credentialReason: among([undefined, text() || "a"]),
    traceId: among([undefined, "4bf92f3577b34da6a3ce929d0e0e4736"]),
    spanId: among([undefined, "00f067aa0ba902b7"]),
    errorCode: among([undefined, "upstream_error"]),
  };
}

test("encodes random events byte for byte like the generated codec", () => {
  const encoder = new EventEncoder();
  for (let seed = 0; seed < 1_500; seed++) {
    const event = randomEvent(seed);
    const started = JournalRecord.encode({ kind: { $case: "started", value: event } }).finish();
    const final = JournalRecord.encode({ kind: { $case: "final", value: event } }).finish();
    assert.ok(Buffer.from(started).equals(encodeStarted(event)), `started, seed ${seed}`);
    assert.ok(Buffer.from(final).equals(encoder.encode(finalTag, event)), `final, seed ${seed}`);
  }
});

test("encoding further events does not change an earlier one", () => {
  const first = encodeFinal(randomEvent(7));
  const copy = Buffer.from(first);
  for (let seed = 8; seed < 40; seed++) encodeFinal(randomEvent(seed));
  assert.ok(copy.equals(first));
});

test("clamps a number beyond int64 instead of wrapping it around", () => {
  const units = [{ name: "input_tokens", quantity: 2n ** 64n + 5n }];
  const event = { ...randomEvent(7), costNanoUsd: 2n ** 70n, holdNanoUsd: -(2n ** 70n), units };
  const { kind } = JournalRecord.decode(encodeFinal(event));
  assert.ok(kind?.$case === "final");
  assert.equal(kind.value.costNanoUsd, 2n ** 63n - 1n);
  assert.equal(kind.value.holdNanoUsd, -(2n ** 63n));
  assert.equal(kind.value.units[0]?.quantity, 2n ** 63n - 1n);
});
