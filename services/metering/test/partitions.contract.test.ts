import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { usagePartitions } from "@uag/contract/messages/usage-subjects";
import { Stopwatch } from "@uag/harness/testing/durations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { UsageBatch } from "@uag/proto/metering/v1/usage.ts";
import { connectBus } from "@uag/runtime/bus";
import { randomText } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { AckPolicy, RetentionPolicy } from "nats";
import { shareOf } from "../src/stream/membership.ts";
import { streamNames } from "../src/stream/topology.ts";
import { type Bench, event, startBench } from "./harness.ts";

async function owned(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^uag_usage_partitions\{[^}]*\} (\d+)$/m.exec(text)?.[1]);
}

/** A second metering process, which can be killed. */
async function startOther(bench: Bench): Promise<{ child: ChildProcess; adminPort: number }> {
  const env = { ...process.env, ...bench.env, LOG_LEVEL: "info" };
  const path = join(import.meta.dirname, "../src/main.ts");
  const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "pipe", "inherit"] });
  const up = Promise.withResolvers<number>();
  child.stdout.on("data", (lines: Buffer) => {
    const found = /"adminPort":(\d+)/.exec(lines.toString());
    if (found) up.resolve(Number(found[1]));
  });
  child.once("exit", (code) => up.reject(new Error(`metering exited with ${code}`)));
  return { child, adminPort: await up.promise };
}

async function total(bench: Bench): Promise<bigint> {
  const filter = { accountId: "", keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
  let sum = 0n;
  for (let cursor = ""; ; ) {
    const page = await bench.usage.queryUsage({ filter, bucket: "day", page: { limit: 1_000, cursor } });
    for (const { requests } of page.buckets) sum += requests;
    cursor = page.nextCursor;
    if (cursor === "") return sum;
  }
}

test("every partition has one owner, and processes differ by at most one partition", () => {
  for (let members = 1; members <= usagePartitions + 1; members++) {
    const shares = Array.from({ length: members }, (_, index) => shareOf(index, members));
    assert.equal(new Set(shares.flat()).size, usagePartitions);
    const sizes = shares.map(({ length }) => length);
    assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1);
  }
});

test("after a kill of one of two processes its partitions move within ten seconds, and no event is lost or counted twice", async () => {
  await using bench = await startBench({ ACK_WAIT_MS: "3000" });
  const { child, adminPort } = await startOther(bench);
  const half = usagePartitions / 2;
  await waitFor(async () => (await owned(bench.adminPort)) === half && (await owned(adminPort)) === half, {
    what: "shared",
  });
  let calls = 0;
  bench.billing.failure = () => {
    calls++;
    return undefined;
  };
  const ids: string[] = [];
  const publish = async (): Promise<void> => {
    const at = ids.length;
    const events = Array.from({ length: 20 }, (_, n) => event(`r${at * 16 + n}`, { accountId: `acct_${at}` }));
    ids.push(await bench.publish(events));
  };
  for (let n = 0; n < 150; n++) await publish();
  await waitFor(() => calls > 2, { what: "both at work" });
  child.kill("SIGKILL");
  using watch = new Stopwatch();
  for (let n = 0; n < 150; n++) await publish();
  await waitFor(async () => (await owned(bench.adminPort)) === usagePartitions, { what: "partitions moved" });
  assert.ok(watch.ms < 10_000, `${watch.ms} ms`);
  await bench.applied(ids);
  const requests = 299 * 16 + 20;
  assert.equal(bench.billing.settled.size, requests);
  assert.equal(await total(bench), BigInt(requests));
});

test("a stopping process hands over its partitions at once and loses no fetched message", async () => {
  await using bench = await startBench({ ACK_WAIT_MS: "3000" });
  const { child, adminPort } = await startOther(bench);
  await waitFor(async () => (await owned(adminPort)) === usagePartitions / 2, { what: "shared" });
  const ids: string[] = [];
  for (let n = 0; n < 200; n++) ids.push(await bench.publish([event(`r${n}`, { accountId: `acct_${n}` })]));
  child.kill("SIGTERM");
  await once(child, "exit");
  using watch = new Stopwatch();
  await waitFor(async () => (await owned(bench.adminPort)) === usagePartitions, { what: "partitions moved" });
  // A process that merely disappears is noticed after five seconds.
  assert.ok(watch.ms < 4_000, `${watch.ms} ms`);
  await bench.applied(ids);
  assert.equal(await total(bench), 200n);
});

test("applies usage from before partitioning, on an old stream and from old replicas", async () => {
  const prefix = `t${randomText(10)}_`;
  const names = streamNames(prefix);
  const log = createLogger({ service: "test", level: "silent" });
  const nats = { NATS_URL: process.env["TEST_NATS_URL"] ?? "" };
  await using bus = await connectBus({ settings: nats, name: "test", log });
  const { subject } = names.undivided;
  const manager = await bus.connection.jetstreamManager();
  await manager.streams.add({ name: names.usage, subjects: [subject], retention: RetentionPolicy.Workqueue });
  await manager.consumers.add(names.usage, { durable_name: names.undivided.consumer, ack_policy: AckPolicy.Explicit });
  const publish = async (id: string): Promise<void> => {
    const data = UsageBatch.encode({ batchId: `${prefix}${id}`, holderId: "h", events: [event(id)] }).finish();
    await bus.connection.jetstream().publish(subject, data);
  };
  await publish("old");
  await using bench = await startBench({}, prefix);
  const fresh = await bench.publish([event("new")]);
  await publish("late");
  await bench.applied([`${prefix}old`, fresh, `${prefix}late`]);
  assert.deepEqual([...bench.billing.settled.keys()].sort(), ["late", "new", "old"]);
});
