import assert from "node:assert/strict";
import { test } from "node:test";
import { type RefusalBatch, refusalBatch, refusalSubjects } from "@uag/contract/messages/refusals";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type RefusalServiceServer, RefusalServiceService } from "@uag/proto/metering/v1/refusals.ts";
import { newId } from "@uag/runtime/ids";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { startBench } from "./harness.ts";

const hourMs = 3_600_000;
const thisHour = Date.now() - (Date.now() % hourMs);
const all = { accountId: "", keyId: "", reason: "" };
const lastDay = { fromMs: BigInt(thisHour - 20 * hourMs), untilMs: 0n };

const reasons = ["rate_limit_exceeded", "budget_exceeded"] as const;
type Reason = (typeof reasons)[number];

/** 5 refusals by the limit an hour ago and 2 of this hour by the budget, of which 3 texts are kept. */
function batchOf(account: string, key: string): RefusalBatch {
  const owner = { account_id: account, key_id: key };
  const sample = (reason: Reason, n: number) => ({
    ...owner,
    reason,
    status: 429,
    operation: "messages",
    model: "m",
    message: `text ${n} of ${key}`,
    request_id: `r${n}`,
    at_ms: thisHour + n,
  });
  return {
    counts: [
      { ...owner, reason: "rate_limit_exceeded", hour_ms: thisHour - hourMs, count: 5 },
      { ...owner, reason: "budget_exceeded", hour_ms: thisHour, count: 2 },
    ],
    samples: [sample("rate_limit_exceeded", 1), sample("budget_exceeded", 2), sample("budget_exceeded", 3)],
  };
}

test("refusals that services report are counted by key, reason and hour, and the latest texts of each key are kept", async () => {
  await using bench = await startBench();
  using client = createRpcClient<RefusalServiceServer>(RefusalServiceService, bench.address, insecure);
  const report = (batch: RefusalBatch): void =>
    bench.bus.connection.publish(refusalSubjects.of("chat"), refusalBatch.encode(batch));
  // Other fleets may share the broker.
  const [first, second, third] = [newId("acct"), newId("acct"), newId("acct")] as const;
  const query = (groupBy: string, filter = all) =>
    client.queryRefusals({ filter, bucket: "hour", groupBy, top: 1, ...lastDay });
  const total = async (accountId: string): Promise<number> =>
    Number((await query("none", { ...all, accountId })).groups[0]?.total ?? 0n);
  report(batchOf(first, "key_1"));
  report(batchOf(first, "key_1"));
  bench.bus.connection.publish(refusalSubjects.of("chat"), "not JSON");
  report(batchOf(second, "key_2"));
  await waitFor(async () => (await total(first)) === 14 && (await total(second)) === 7);

  const byReason = await query("reason", { ...all, accountId: first, keyId: "key_1" });
  assert.deepEqual(
    byReason.groups.map(({ name, other, total: sum, points }) => [
      name,
      other,
      Number(sum),
      points.map(({ startMs, refusals }) => [Number(startMs), Number(refusals)]),
    ]),
    [
      ["rate_limit_exceeded", false, 10, [[thisHour - hourMs, 10]]],
      ["", true, 4, [[thisHour, 4]]],
    ],
  );
  const { refusals } = await client.listRefusals({ filter: { ...all, accountId: first } });
  assert.deepEqual(
    refusals.map(({ keyId, message }) => [keyId, message]),
    [3, 3, 2, 2, 1, 1].map((n) => ["key_1", `text ${n} of key_1`]),
  );
  const limited = await client.listRefusals({ filter: { accountId: second, keyId: "", reason: reasons[0] } });
  assert.deepEqual(
    limited.refusals.map(({ keyId, reason }) => [keyId, reason]),
    [["key_2", "rate_limit_exceeded"]],
  );

  for (let n = 0; n < 60; n++) report(batchOf(third, "key_3"));
  await waitFor(async () => (await total(third)) === 60 * 7);
  const recent = await client.listRefusals({ filter: { ...all, accountId: third } });
  assert.equal(recent.refusals.length, 100);
});
