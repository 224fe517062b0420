import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { decodeBatch, decodeEvents, PoisonError } from "./decode.ts";
import { rollUp } from "./rollup.ts";

const event = (more: Partial<UsageEvent> = {}): UsageEvent =>
  UsageEvent.fromPartial({ requestId: "r", accountId: "a", endedAtMs: 1_000n, costNanoUsd: 1n, ...more });

test("an event that cannot be stored or counted is rejected with its reason, and its neighbors are unaffected", () => {
  const wrong: Partial<UsageEvent>[] = [
    { requestId: "" },
    { accountId: "a\nb" },
    { costNanoUsd: -1n },
    { endedAtMs: 0n },
    { units: [{ name: "ok", quantity: -1n }] },
    { units: [{ name: "", quantity: 1n }] },
    { costNanoUsd: 2n ** 53n },
    { holdNanoUsd: 2n ** 63n - 1n },
    { units: [{ name: "ok", quantity: 2n ** 63n - 1n }] },
  ];
  const events = wrong.flatMap((more, n) => [event(more), event({ requestId: `good${n}` })]);
  const decoded = decodeBatch(UsageBatch.encode({ batchId: "b", holderId: "h", events }).finish());
  assert.deepEqual(
    decoded.events.map(({ requestId }) => requestId),
    wrong.map((_, n) => `good${n}`),
  );
  assert.equal(decoded.refused.length, wrong.length);
  assert.ok(decoded.refused.every(({ reason }) => reason.endsWith("is not valid")));
  assert.throws(() => decodeBatch(Buffer.from([0xff, 0xff, 0xff])), PoisonError);
});

test("counts a known unit under a valid field name, and sums all unknown units", () => {
  const units = [
    { name: "video_seconds:1280.720", quantity: 2n },
    { name: "$set", quantity: 3n },
    { name: "tool_search_requests", quantity: 4n },
  ];
  assert.equal(decodeEvents([event({ units })]).refused.length, 0);
  const [row] = rollUp([event({ units })]);
  assert.deepEqual(row?.units, { "video_seconds:1280_720": 2n, unknown: 7n });
});

test("roll-ups add up to their events, and hours belong to their own days", () => {
  const events = Array.from({ length: 1_000 }, (_, n) =>
    event({
      requestId: `r${n}`,
      keyId: `k${n % 3}`,
      endedAtMs: BigInt(n * 997_003 + 1),
      costNanoUsd: BigInt(n),
      units: [{ name: n % 2 === 0 ? "input_tokens" : "output_tokens", quantity: 2n }],
    }),
  );
  for (const bucket of ["hour", "day"]) {
    const rows = rollUp(events).filter((row) => row.bucket === bucket);
    assert.equal(
      rows.reduce((sum, { requests }) => sum + requests, 0n),
      1_000n,
    );
    assert.equal(
      rows.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
      499_500n,
    );
    assert.equal(
      rows.reduce((sum, { units }) => sum + (units["input_tokens"] ?? 0n) + (units["output_tokens"] ?? 0n), 0n),
      2_000n,
    );
    for (const { start } of rows) assert.equal(start.getTime() % (bucket === "hour" ? 3_600_000 : 86_400_000), 0);
    assert.equal(new Set(rows.map(({ _id }) => _id)).size, rows.length);
  }
});
