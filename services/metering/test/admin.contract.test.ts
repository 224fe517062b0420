import assert from "node:assert/strict";
import { test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { createConnection } from "mongoose";
import { event, startBench } from "./harness.ts";

const everything = { accountId: "", keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };

test("counts written-off cost once, in addition to the cost", async () => {
  await using bench = await startBench();
  bench.billing.writtenOff = ({ requestId }) => (requestId === "b" ? 4n : 0n);
  const id = await bench.publish([event("a"), event("b")]);
  await bench.applied([id]);
  await bench.applied([await bench.publish([event("b"), event("c")])]);
  const { buckets } = await bench.usage.queryUsage({ filter: everything, bucket: "day", page: undefined });
  assert.deepEqual(
    buckets.map(({ requests, costNanoUsd, writtenOffNanoUsd }) => [requests, costNanoUsd, writtenOffNanoUsd]),
    [[3n, 30n, 4n]],
  );
});

test("counts a later price once per request, however often it is reported", async () => {
  await using bench = await startBench();
  const unpriced = event("a", { pricing: Pricing.UNPRICED, costNanoUsd: 0n });
  await bench.applied([await bench.publish([unpriced, event("b")])]);
  const repaired = { ...unpriced, pricing: Pricing.EXACT, costNanoUsd: 25n, priceVersion: "v2" };
  const repairs = [{ event: repaired, writtenOffNanoUsd: 5n }];
  const responses = await Promise.all(
    [1, 2, 3].map(() => bench.admin.applyRepairs({ repairs }, { timeoutMs: 20_000 })),
  );
  assert.equal(
    responses.reduce((sum, { applied }) => sum + applied, 0),
    1,
  );
  for (const bucket of ["hour", "day"]) {
    const { buckets } = await bench.usage.queryUsage({ filter: everything, bucket, page: undefined });
    const [row] = buckets;
    assert.deepEqual([row?.requests, row?.costNanoUsd, row?.writtenOffNanoUsd], [2n, 35n, 5n]);
    assert.deepEqual(row?.units, [{ name: "input_tokens", quantity: 6n }]);
  }
  const { events } = await bench.usage.listEvents({ filter: everything, page: undefined });
  const [a] = events.filter(({ requestId }) => requestId === "a");
  assert.deepEqual([a?.pricing, a?.costNanoUsd, a?.priceVersion], [Pricing.EXACT, 25n, "v2"]);
});

test("a corrected charge changes the counted cost by the difference, also downwards", async () => {
  await using bench = await startBench();
  const held = event("a", { pricing: Pricing.UNPRICED, costNanoUsd: 40n });
  await bench.applied([await bench.publish([held])]);
  const repaired = { ...held, pricing: Pricing.EXACT, costNanoUsd: 25n, priceVersion: "v2" };
  const repairs = [{ event: repaired, chargedNanoUsd: -12n, writtenOffNanoUsd: -3n }];
  for (const applied of [1, 0])
    assert.equal((await bench.admin.applyRepairs({ repairs }, { timeoutMs: 20_000 })).applied, applied);
  const { buckets } = await bench.usage.queryUsage({ filter: everything, bucket: "day", page: undefined });
  assert.deepEqual([buckets[0]?.costNanoUsd, buckets[0]?.writtenOffNanoUsd], [25n, -3n]);
});

test("an export continues after any of its rows, even among simultaneous events", async () => {
  await using bench = await startBench();
  const events = Array.from({ length: 30 }, (_, n) => event(`r${n}`, { endedAtMs: 1_790_000_000_000n }));
  await bench.applied([await bench.publish(events)]);
  const filter = { ...everything, untilMs: 1_800_000_000_000n };
  const read = async (cursor: string, limit: number) =>
    (await bench.admin.exportEvents({ filter, page: { limit, cursor } })).events;
  const all = await read("", 100);
  assert.equal(all.length, 30);
  for (const [n, { cursor }] of all.entries()) {
    const rest = await read(cursor, 100);
    assert.deepEqual(
      rest.map((row) => row.event?.requestId),
      all.slice(n + 1).map((row) => row.event?.requestId),
    );
  }
});

test("a page deep within simultaneous events is found by the index, without a scan of those before", async () => {
  await using bench = await startBench();
  const events = Array.from({ length: 200 }, (_, n) => event(`r${n}`, { endedAtMs: 1_790_000_000_000n }));
  await bench.applied([await bench.publish(events)]);
  const filter = { ...everything, untilMs: 1_800_000_000_000n };
  const read = async (cursor: string, limit: number) =>
    (await bench.admin.exportEvents({ filter, page: { limit, cursor } })).events;
  const place = (await read("", 200)).at(150)?.cursor ?? "";
  const url = bench.env["MONGODB_URL"] ?? "";
  const connection = await createConnection(url, { dbName: bench.env["MONGODB_DATABASE"] ?? "" }).asPromise();
  try {
    await connection.db?.command({ profile: 2 });
    assert.equal((await read(place, 10)).length, 10);
    await connection.db?.command({ profile: 0 });
    const found = await connection.db
      ?.collection("system.profile")
      .find({ ns: /\.events_/ })
      .toArray();
    const examined = (found ?? []).map(({ keysExamined }) => Number(keysExamined));
    assert.ok(examined.length > 0 && Math.max(...examined) <= 12, `${examined} keys`);
  } finally {
    await connection.close();
  }
});
