import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuerySeriesRequest, SeriesGroup } from "@uag/proto/metering/v1/metering.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { createConnection } from "mongoose";
import { type Bench, event, startBench } from "./harness.ts";

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const names = { accountId: "", keyId: "", model: "", operation: "" };
/** Yesterday noon, so that the hours around it are on the same day. */
const noon = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
const everything = { ...names, fromMs: BigInt(noon - dayMs), untilMs: 0n };

const series = async (bench: Bench, more: Partial<QuerySeriesRequest> = {}): Promise<SeriesGroup[]> =>
  (await bench.usage.querySeries({ filter: everything, bucket: "hour", groupBy: "none", top: 0, ...more })).groups;

const at = (ms: number, tookMs = 100) => ({ startedAtMs: BigInt(ms - tookMs), endedAtMs: BigInt(ms) });

test("a series sums all roll-ups by the requested grouping: the most expensive groups, and all others combined", async () => {
  await using bench = await startBench();
  const events = Array.from({ length: 60 }, (_, n) =>
    event(`r${n}`, {
      model: `m${n % 6}`,
      keyId: `key_${n % 3}`,
      upstream: n % 2 === 0 ? "even" : "odd",
      costNanoUsd: BigInt(n % 6) * 10n,
      units: [
        { name: "input_tokens", quantity: 5n },
        { name: "cached_input_tokens", quantity: 3n },
        { name: "output_tokens", quantity: 2n },
        { name: "thinking_output_tokens", quantity: 1n },
      ],
      ...at(noon + (n % 2) * hourMs),
    }),
  );
  await bench.applied([await bench.publish(events)]);
  const [all] = await series(bench);
  assert.deepEqual([all?.name, all?.other, all?.total?.requests, all?.total?.costNanoUsd], ["", false, 60n, 1_500n]);
  assert.deepEqual(
    [all?.total?.inputTokens, all?.total?.cachedInputTokens, all?.total?.outputTokens],
    [480n, 180n, 180n],
  );
  assert.deepEqual(
    all?.points.map(({ startMs, measures }) => [Number(startMs), measures?.requests]),
    [
      [noon, 30n],
      [noon + hourMs, 30n],
    ],
  );
  const byModel = await series(bench, { groupBy: "model", top: 2 });
  assert.deepEqual(
    byModel.map(({ name, other, total }) => [name, other, total?.requests, total?.costNanoUsd]),
    [
      ["m5", false, 10n, 500n],
      ["m4", false, 10n, 400n],
      ["", true, 40n, 600n],
    ],
  );
  const byProvider = await series(bench, { groupBy: "provider", bucket: "day" });
  assert.deepEqual(byProvider.map(({ name, points }) => [name, points.length]).sort(), [
    ["even", 1],
    ["odd", 1],
  ]);
  const months = await series(bench, { bucket: "month", filter: { ...everything, keyId: "key_1", upstream: "odd" } });
  assert.deepEqual([months[0]?.total?.requests, months[0]?.points.length], [10n, 1]);
  const start = new Date(Number(months[0]?.points[0]?.startMs));
  assert.deepEqual([start.getUTCDate(), start.getUTCHours()], [1, 0]);
});

test("percentiles and error classes match the requests, and a repair does not count them again", async () => {
  await using bench = await startBench();
  const succeeded = Array.from({ length: 100 }, (_, n) =>
    event(`r${n}`, { ...at(noon, n < 90 ? 90 : 4_000), stream: true, ...(n < 50 && { firstByteMs: 20 }) }),
  );
  const failed = { outcome: Outcome.FAILED, ...at(noon, 60_000) };
  const bad = [
    event("limited", { ...failed, status: 429 }),
    event("wrong", { ...failed, status: 400 }),
    event("broken", { ...failed, status: 502 }),
    event("half", { ...failed, status: 200 }),
    event("left", { ...at(noon), outcome: Outcome.DISCONNECTED }),
    event("died", { ...at(noon), outcome: Outcome.CRASHED, status: 0 }),
  ];
  await bench.applied([await bench.publish([...succeeded, ...bad])]);
  const [group] = await series(bench);
  const { errors, latency, firstByte } = group?.total ?? {};
  assert.deepEqual(errors, { rateLimited: 1n, clientError: 1n, upstreamError: 2n, clientLeft: 1n, crashed: 1n });
  assert.equal(latency?.count, 100n);
  assert.ok(latency.p50Ms > 75 && latency.p50Ms <= 100, String(latency.p50Ms));
  assert.ok(latency.p95Ms > 3_200 && latency.p99Ms <= 4_800, `${latency.p95Ms} ${latency.p99Ms}`);
  assert.deepEqual([firstByte?.count, (firstByte?.p99Ms ?? 99) <= 25], [50n, true]);
  await bench.admin.applyRepairs({
    repairs: [{ event: { ...succeeded[0]!, costNanoUsd: 5n }, writtenOffNanoUsd: 0n }],
  });
  const [after] = await series(bench);
  assert.equal(after?.total?.costNanoUsd, (group?.total?.costNanoUsd ?? 0n) + 5n);
  assert.deepEqual({ ...after?.total, costNanoUsd: 0n }, { ...group?.total, costNanoUsd: 0n });
});

test("rejects a series that is too long or of an unknown kind, naming the allowed values", async () => {
  await using bench = await startBench();
  await assert.rejects(series(bench, { bucket: "week" }), /one of hour, day, month/);
  await assert.rejects(series(bench, { groupBy: "tag" }), /one of none, account, key/);
  await assert.rejects(series(bench, { top: 51 }), /At most 50/);
  const filter = { ...everything, fromMs: BigInt(noon - 90 * dayMs) };
  await assert.rejects(series(bench, { filter }), /at most 31 days/);
  assert.deepEqual(await series(bench, { filter, bucket: "day" }), []);
  const hours = {
    filter: { ...everything, fromMs: BigInt(noon - 200 * hourMs), untilMs: BigInt(noon) },
    groupBy: "key",
  };
  assert.deepEqual(await series(bench, { ...hours, top: 49 }), []);
  await assert.rejects(series(bench, { ...hours, top: 50 }), /at most 10000 points. .* at most 49 groups/);
});

test("finds single requests by end time and cost, or by id in any month, with their failed calls", async () => {
  await using bench = await startBench();
  const failedAttempts = [
    {
      upstream: "a",
      upstreamModel: "m",
      afterMs: 1,
      durationMs: 30,
      failure: "timeout",
      status: 0,
      code: "c",
      message: "too late",
      upstreamRequestId: undefined,
      midStream: true,
      credential: "main",
    },
  ];
  const old = event("old", { ...at(noon - 40 * dayMs), failedAttempts, firstByteMs: 0, upstreamCredential: "spare" });
  const dear = event("dear", { costNanoUsd: 900n });
  const failed = event("failed", { outcome: Outcome.FAILED, status: 502, costNanoUsd: 0n });
  await bench.applied([await bench.publish([old, dear, failed])]);
  const ids = async (more: object): Promise<string[]> => {
    const filter = { ...names, fromMs: 0n, untilMs: 0n, ...more };
    return (await bench.usage.listEvents({ filter, page: undefined })).events.map(({ requestId }) => requestId);
  };
  assert.deepEqual(await ids({ outcome: Outcome.FAILED }), ["failed"]);
  assert.deepEqual(await ids({ status: 502 }), ["failed"]);
  assert.deepEqual(await ids({ minCostNanoUsd: 900n }), ["dear"]);
  assert.deepEqual(await ids({ upstream: "nobody" }), []);
  assert.deepEqual(await bench.usage.getEvent({ requestId: "old" }), old);
  await assert.rejects(bench.usage.getEvent({ requestId: "none" }), /request does not exist/);
});

test("a key's last use is its latest, even if earlier requests arrive later, and its last hour is approximate", async () => {
  await using bench = await startBench();
  const now = Date.now();
  const recent = Array.from({ length: 30 }, (_, n) => event(`r${n}`, at(now - n)));
  await bench.applied([await bench.publish(recent)]);
  await bench.applied([await bench.publish([event("late", at(noon)), event("b", { keyId: "key_2", ...at(noon) })])]);
  const keys = ["key_1", "key_2", "key_3"].map((keyId) => ({ keyId, accountId: "acct_1" }));
  const used = new Map((await bench.usage.listKeyUse({ keys })).keys.map((one) => [one.keyId, one]));
  assert.equal(used.get("key_1")?.lastUsedMs, BigInt(now));
  const { spentThisMonthNanoUsd: _, ...second } = used.get("key_2") ?? {};
  assert.deepEqual(second, { keyId: "key_2", lastUsedMs: BigInt(noon), requestsLastHour: 0n });
  assert.equal(used.get("key_3"), undefined);
  const lately = Number(used.get("key_1")?.requestsLastHour);
  assert.ok(lately > 0 && lately <= 31, String(lately));
});

test("records the use of a busy key once a minute", async () => {
  await using bench = await startBench();
  const lastUse = async (): Promise<bigint | undefined> => {
    const { keys } = await bench.usage.listKeyUse({ keys: [{ keyId: "key_1", accountId: "acct_1" }] });
    return keys[0]?.lastUsedMs;
  };
  for (const [seconds, noted] of [
    [0, 0],
    [59, 0],
    [60, 60],
    [30, 60],
  ] as const) {
    await bench.applied([await bench.publish([event(`after${seconds}`, at(noon + seconds * 1_000))])]);
    assert.equal(await lastUse(), BigInt(noon + noted * 1_000), `${seconds} s`);
  }
});

test("last month's usage is summed by model and unit over all accounts, without the months around it", async () => {
  await using bench = await startBench();
  const now = new Date(noon + dayMs);
  const startOf = (monthsAgo: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo);
  const used = (name: string, quantity: bigint) => ({ units: [{ name, quantity }] });
  const events = [
    event("first", { ...at(startOf(1) + 1), ...used("input_tokens", 3n) }),
    event("last", { ...at(startOf(0) - 1), accountId: "acct_1", keyId: "key_2", ...used("input_tokens", 2n ** 40n) }),
    event("output", { ...at(startOf(1) + dayMs), ...used("output_tokens", 5n) }),
    event("other", { ...at(startOf(1) + dayMs), model: "n", ...used("images", 1n) }),
    event("none", { ...at(startOf(1) + dayMs), model: "o", units: [] }),
    event("before", { ...at(startOf(1) - 1), ...used("input_tokens", 7n) }),
    event("after", { ...at(startOf(0) + 1), ...used("input_tokens", 7n) }),
  ];
  const elsewhere = event("elsewhere", { ...at(startOf(0) - 1), accountId: "acct_2", ...used("input_tokens", 10n) });
  await bench.applied([await bench.publish(events), await bench.publish([elsewhere])]);
  const { models } = await bench.usage.sumLastMonth({});
  const sums = models.flatMap(({ model, units }) => units.map(({ name, quantity }) => [model, name, quantity]));
  assert.deepEqual(
    sums.sort((a, b) => (a.join() < b.join() ? -1 : 1)),
    [
      ["m", "input_tokens", 2n ** 40n + 13n],
      ["m", "output_tokens", 5n],
      ["n", "images", 1n],
    ],
  );
});

test("queries of charts and lists use an index and have a time limit", async () => {
  await using bench = await startBench();
  await bench.applied([await bench.publish([event("a")])]);
  const url = bench.env["MONGODB_URL"] ?? "";
  const connection = await createConnection(url, { dbName: bench.env["MONGODB_DATABASE"] ?? "" }).asPromise();
  try {
    await connection.db?.command({ profile: 2 });
    for (const accountId of ["", "acct_1"]) {
      const filter = { ...everything, accountId };
      for (const groupBy of ["none", "key"]) await series(bench, { filter, groupBy });
      await bench.usage.listEvents({ filter: { ...filter, status: 200, keyId: "key_1" }, page: undefined });
    }
    for (const bucket of ["hour", "day"])
      await bench.usage.queryUsage({ filter: { ...everything, keyId: "nobody" }, bucket, page: undefined });
    await bench.usage.getEvent({ requestId: "a" });
    await bench.usage.sumLastMonth({});
    await bench.usage.listKeyUse({ keys: [{ accountId: "acct_1", keyId: "key_1" }] });
    await connection.db?.command({ profile: 0 });
    const about = { op: { $in: ["query", "command"] }, ns: /\.(rollups|keyUse|events_)/ };
    const found = (await connection.db?.collection("system.profile").find(about).toArray()) ?? [];
    const plans = found.flatMap(({ planSummary }) => (planSummary === undefined ? [] : [String(planSummary)]));
    assert.ok(plans.length >= 12, String(plans.length));
    const lists = found
      .map(({ command }) => command)
      .filter(({ find, sort }) => find !== undefined && sort !== undefined);
    assert.ok(lists.length >= 4, String(lists.length));
    assert.ok(lists.every(({ maxTimeMS }) => maxTimeMS > 0));
    assert.deepEqual(
      plans.filter((plan) => !/^(IXSCAN|IDHACK|COUNT_SCAN|EOF)/.test(plan)),
      [],
    );
  } finally {
    await connection.close();
  }
});
