import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { type BatchKey, signBatch } from "@uag/runtime/batch-mac";
import { replayDead } from "../src/stream/replay-dead.ts";
import { type Bench, event, startBench } from "./harness.ts";

const everything = { accountId: "", keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };

async function rollups(bench: Bench, bucket = "hour"): Promise<UsageBucket[]> {
  const { buckets } = await bench.usage.queryUsage({ filter: everything, bucket, page: undefined });
  return buckets;
}

const total = (buckets: UsageBucket[]): bigint => buckets.reduce((sum, { requests }) => sum + requests, 0n);

test("a repeated batch, alone or within other batches, changes nothing", async () => {
  await using bench = await startBench();
  const events = Array.from({ length: 300 }, (_, n) => event(`r${n}`));
  const id = await bench.publish(events);
  await bench.applied([id]);
  const before = await rollups(bench);
  await bench.publish(events, id);
  const others = [
    await bench.publish(events.slice(0, 50)),
    await bench.publish([...events.slice(20, 90), event("new")]),
  ];
  await bench.applied(others);
  assert.equal(bench.billing.settled.size, 301);
  const after = await rollups(bench);
  assert.equal(total(before), 300n);
  assert.equal(total(after), 301n);
  assert.equal(
    after.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
    3_010n,
  );
  assert.deepEqual(after[0]?.units, [{ name: "input_tokens", quantity: 903n }]);
});

test("bills the first of two different terminal events of a request, whichever it is", async () => {
  await using bench = await startBench();
  const crashed = (id: string) => event(id, { outcome: Outcome.CRASHED, costNanoUsd: 4n });
  await bench.applied([await bench.publish([crashed("a"), event("b")])]);
  await bench.applied([await bench.publish([event("a"), crashed("b")])]);
  await bench.applied([await bench.publish([event("c"), crashed("c")])]);
  assert.deepEqual(
    [...bench.billing.settled],
    [
      ["a", 4n],
      ["b", 10n],
      ["c", 10n],
    ],
  );
  assert.equal(
    (await rollups(bench)).reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
    24n,
  );
  const metrics = await (await fetch(`http://127.0.0.1:${bench.adminPort}/metrics`)).text();
  assert.match(metrics, /uag_usage_conflicts_total\{[^}]*\} 3\n/);
});

test("settles and counts usage received while billing is unreachable once it is back", async () => {
  await using bench = await startBench();
  let refusals = 0;
  bench.billing.failure = () => (++refusals < 4 ? new GatewayError("service_unavailable") : undefined);
  const id = await bench.publish([event("a"), event("b")]);
  await bench.applied([id]);
  assert.ok(refusals >= 4);
  assert.equal(bench.billing.settled.size, 2);
  assert.equal(total(await rollups(bench)), 2n);
});

test("an already applied batch is confirmed by a lookup without calling billing", async () => {
  await using bench = await startBench();
  const events = Array.from({ length: 50 }, (_, n) => event(`r${n}`));
  const id = await bench.publish(events);
  await bench.applied([id]);
  let calls = 0;
  bench.billing.failure = () => {
    calls++;
    return undefined;
  };
  for (let copy = 0; copy < 5; copy++) await bench.publish(events, id);
  const manager = await bench.bus.connection.jetstreamManager();
  await waitFor(async () => (await manager.streams.info(bench.names.usage)).state.messages === 0, {
    what: "an empty stream",
  });
  assert.equal(calls, 0);
});

test("dead-letters only the event that cannot be applied: the rest of its batch is applied, and it can be priced and repaired", async () => {
  await using bench = await startBench();
  const noAccount = (events: UsageEvent[]) => events.findIndex(({ requestId }) => requestId === "stray");
  let away = true;
  bench.billing.failure = (events) =>
    away && noAccount(events) >= 0
      ? new GatewayError("not_found", "The account does not exist.", {
          param: `events[${noAccount(events)}].account_id`,
        })
      : undefined;
  const events = [event("good1"), event("owed", { costNanoUsd: -5n }), event("stray"), event("good2")];
  const id = await bench.publish(events);
  await bench.applied([id]);
  assert.deepEqual([...bench.billing.settled.keys()].sort(), ["good1", "good2"]);
  assert.equal(total(await rollups(bench)), 2n);
  const lying = async () => (await bench.admin.listDeadLetters({ requestId: "" })).deadLetters;
  const idOf = async (request: string) => (await lying()).find(({ requestId }) => requestId === request)?.id ?? "";
  assert.deepEqual((await lying()).map(({ requestId, accountId, reason }) => [requestId, accountId, reason]).sort(), [
    ["owed", "acct_1", "cost_nano_usd is not valid"],
    ["stray", "acct_1", "The account does not exist."],
  ]);
  const owed = await idOf("owed");
  await bench.admin.priceDeadLetter({ id: owed, costNanoUsd: 7n });
  assert.equal((await bench.admin.repairDeadLetter({ id: owed })).refused, "");
  const stray = await idOf("stray");
  assert.equal((await bench.admin.repairDeadLetter({ id: stray })).refused, "The account does not exist.");
  away = false;
  assert.equal((await bench.admin.repairDeadLetter({ id: stray })).refused, "");
  assert.deepEqual(await lying(), []);
  await assert.rejects(bench.admin.repairDeadLetter({ id: stray }), /No dead letter has this id/);
  assert.deepEqual(Object.fromEntries(bench.billing.settled), { good1: 10n, good2: 10n, owed: 7n, stray: 10n });
  assert.equal(total(await rollups(bench)), 4n);
});

test("dead-letters a message that is not a batch or that billing never accepts, applies others, and replays it on request", async () => {
  await using bench = await startBench({ MAX_DELIVER: "1" });
  const bad = (events: UsageEvent[]) => events.some(({ requestId }) => requestId === "bad");
  bench.billing.failure = (events) => (bad(events) ? new GatewayError("invalid_request") : undefined);
  await bench.bus.connection.jetstream().publish(bench.names.undivided.subject, Buffer.from("\xff\xff no batch"));
  const spoiled = await bench.publish([event("bad"), event("good1")]);
  await bench.applied([await bench.publish([event("good2")])]);
  const manager = await bench.bus.connection.jetstreamManager();
  const dead = async (): Promise<number> => (await manager.streams.info(bench.names.dead)).state.messages;
  await waitFor(async () => (await dead()) === 2, { what: "dead letters" });
  await waitFor(async () => (await manager.streams.info(bench.names.usage)).state.messages === 0, {
    what: "an empty stream",
  });
  bench.billing.failure = () => undefined;
  const command = join(import.meta.dirname, "../src/commands/replay-dead.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [command], { env: { ...process.env, ...bench.env } });
  assert.match(stdout, /^2 messages replayed/);
  await bench.applied([spoiled]);
  await waitFor(async () => (await dead()) === 1, { what: "the invalid message to be dead-lettered again" });
  assert.deepEqual([...bench.billing.settled.keys()].sort(), ["bad", "good1", "good2"]);
});

test("a batch with a bad signature is dead-lettered and counted, never applied; a signed one is applied, also on replay", async () => {
  const [chat, media] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => ({ publisher: "chat", key }));
  await using bench = await startBench({ USAGE_MAC_KEYS: `chat:${chat!.key.toString("hex")}`, MAX_DELIVER: "1" });
  const send = (name: string, key: BatchKey | undefined): Promise<unknown> => {
    const data = UsageBatch.encode({ batchId: name, holderId: "h", events: [event(name)] }).finish();
    const headers = key && { headers: signBatch(key, data) };
    return bench.bus.connection.jetstream().publish(bench.names.undivided.subject, data, headers);
  };
  bench.billing.failure = (events) =>
    events.some(({ requestId }) => requestId === "late") ? new GatewayError("invalid_request") : undefined;
  await send("unsigned", undefined);
  await send("forged", media);
  await send("late", chat);
  await send("genuine", chat);
  await bench.applied(["genuine"]);
  const manager = await bench.bus.connection.jetstreamManager();
  const dead = async (): Promise<number> => (await manager.streams.info(bench.names.dead)).state.messages;
  await waitFor(async () => (await dead()) === 3, { what: "dead letters" });
  assert.deepEqual([...bench.billing.settled.keys()], ["genuine"]);
  const metrics = await (await fetch(`http://127.0.0.1:${bench.adminPort}/metrics`)).text();
  assert.match(metrics, /^uag_usage_forged_total\{[^}]*\} 2$/m);
  bench.billing.failure = () => undefined;
  const nats = { NATS_URL: bench.env["NATS_URL"] ?? "" };
  await replayDead({ nats, streamPrefix: bench.env["STREAM_PREFIX"] ?? "" });
  await bench.applied(["late"]);
  await waitFor(async () => (await dead()) === 2, { what: "the forged messages to be dead-lettered again" });
  assert.deepEqual([...bench.billing.settled.keys()].sort(), ["genuine", "late"]);
});

test("lists usage and sums it by hour and day, filtered, and in pages without gap or overlap", async () => {
  await using bench = await startBench();
  const day = 86_400_000;
  const base = Math.floor(Date.now() / day) * day - 3 * day;
  const events = Array.from({ length: 120 }, (_, n) =>
    event(`r${n}`, { keyId: `key_${n % 4}`, model: `m${n % 2}`, endedAtMs: BigInt(base + n * 1_200_000) }),
  );
  await bench.applied([await bench.publish(events)]);
  const pages = async (filter: typeof everything, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await bench.usage.listEvents({ filter, page: { limit, cursor } });
      ids.push(...page.events.map(({ requestId }) => requestId));
      cursor = page.nextCursor;
      if (cursor === "") return ids;
    }
  };
  assert.deepEqual(await pages(everything, 7), events.map(({ requestId }) => requestId).reverse());
  assert.equal((await pages({ ...everything, keyId: "key_1", fromMs: BigInt(base + day) }, 1_000)).length, 12);
  const [first] = (
    await bench.usage.listEvents({ filter: { ...everything, untilMs: BigInt(base + 1) }, page: undefined })
  ).events;
  assert.deepEqual(UsageEvent.encode(first!).finish(), UsageEvent.encode(events[0]!).finish());
  const hours: UsageBucket[] = [];
  for (let cursor = ""; ; ) {
    const page = await bench.usage.queryUsage({ filter: everything, bucket: "hour", page: { limit: 10, cursor } });
    hours.push(...page.buckets);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  assert.equal(hours.length, 120);
  assert.deepEqual(
    hours.map(({ startMs }) => startMs),
    hours.map(({ startMs }) => startMs).sort(),
  );
  const days = await rollups(bench, "day");
  assert.equal(total(days), 120n);
  assert.equal(days.length, 8);
  await assert.rejects(bench.usage.queryUsage({ filter: everything, bucket: "week", page: undefined }), /hour or day/);
  await assert.rejects(bench.usage.listEvents({ filter: everything, page: { limit: 1, cursor: "x" } }), /cursor/);
});

test("finds requests by any of their ids, and by key, error code and duration", async () => {
  await using bench = await startBench();
  const now = BigInt(Date.now());
  const attempt = { upstream: "u", upstreamModel: "m", afterMs: 0, durationMs: 1, failure: "timeout", status: 504 };
  const failed = { ...attempt, credential: "main", midStream: false, upstreamRequestId: "up-failed" };
  const timed = (ms: number) => ({ startedAtMs: now - BigInt(ms), endedAtMs: now });
  const events = [
    event("r1", { keyId: "a", ...timed(10), clientRequestId: "mine", upstreamRequestId: "up-1" }),
    event("r2", { keyId: "b", ...timed(20_000), clientRequestId: "mine", failedAttempts: [failed] }),
    event("r3", { keyId: "c", ...timed(30), errorCode: "upstream_timeout" }),
    event("r4", { keyId: "c", ...timed(40) }),
  ];
  await bench.applied([await bench.publish(events)]);
  const found = async (filter: object): Promise<string[]> => {
    const page = await bench.usage.listEvents({ filter: { ...everything, ...filter }, page: undefined });
    return page.events.map(({ requestId }) => requestId).sort();
  };
  assert.deepEqual(await found({ anyRequestId: "r4" }), ["r4"]);
  assert.deepEqual(await found({ anyRequestId: "mine" }), ["r1", "r2"]);
  assert.deepEqual(await found({ anyRequestId: "up-1" }), ["r1"]);
  assert.deepEqual(await found({ anyRequestId: "up-failed" }), ["r2"]);
  assert.deepEqual(await found({ anyRequestId: "mine", accountId: "another" }), []);
  assert.deepEqual(await found({ errorCode: "upstream_timeout" }), ["r3"]);
  assert.deepEqual(await found({ minDurationMs: 1_000 }), ["r2"]);
  assert.deepEqual(await found({ keys: { ids: ["a", "b"] } }), ["r1", "r2"]);
  assert.deepEqual(await found({ keys: { ids: [] } }), []);
  assert.deepEqual(await found({ keys: { ids: ["a", "b"] }, keyId: "c" }), [], "both conditions hold");
  const first = await bench.usage.listEvents({
    filter: { ...everything, anyRequestId: "mine" },
    page: { limit: 1, cursor: "" },
  });
  const second = await bench.usage.listEvents({
    filter: { ...everything, anyRequestId: "mine" },
    page: { limit: 1, cursor: first.nextCursor },
  });
  assert.deepEqual(
    [...first.events, ...second.events].map(({ requestId }) => requestId).sort(),
    ["r1", "r2"],
    "a page continues the search",
  );
});

test("two replicas share the work and count each event once", async () => {
  await using one = await startBench();
  const { startService } = await import("../src/service.ts");
  await using _two = await startService(one.env);
  const ids: string[] = [];
  for (let batch = 0; batch < 60; batch++) {
    const events = Array.from({ length: 64 }, (_, n) => event(`r${batch * 48 + n}`));
    ids.push(await one.publish(events));
  }
  await one.applied(ids);
  const requests = 59 * 48 + 64;
  assert.equal(one.billing.settled.size, requests);
  assert.equal(total(await rollups(one)), BigInt(requests));
  assert.equal(total(await rollups(one, "day")), BigInt(requests));
});
