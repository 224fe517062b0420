import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { partitionOf, usageSubject } from "@uag/contract/messages/usage-subjects";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, Pricing, UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { connectBus } from "@uag/runtime/bus";
import { randomText } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { limitProcessors } from "./processor-share.ts";
import { bytesARequest } from "./sizes.ts";

/**
 * Measures events per second from JetStream to settled and rolled up, with the real billing,
 * MongoDB and NATS, and the CPU cost of an event. Every account has a grant acquired through
 * billing; the accounts themselves are inserted in bulk. With several pairs of billing and
 * metering, each process may be kept to a share of a core: then the machine has room for all, and
 * what they add up to can be seen (as root).
 * `TEST_MONGODB_URL=… TEST_NATS_URL=… node services/metering/bench/throughput.ts [times 256 events]
 * [accounts] [pairs] [per cent of a core]`
 */
const batches = Number(process.argv[2] ?? 200);
const accountCount = Number(process.argv[3] ?? 10);
const pairs = Number(process.argv[4] ?? 1);
const percent = Number(process.argv[5] ?? 0);
const perBatch = 256;
/** Within this a new metering process has its share of the partitions. */
const balanceMs = 12_000;
const acquiresAtOnce = 256;
const publishedAtOnce = 64;
const prefix = `bench${randomText(8)}_`;
const [mongodbUrl = "", natsUrl = ""] = [process.env["TEST_MONGODB_URL"], process.env["TEST_NATS_URL"]];
const children: ChildProcess[] = [];

async function start(service: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../..", service, "src/main.ts")], {
    env: { ...process.env, MONGODB_URL: mongodbUrl, NATS_URL: natsUrl, TLS: "off", LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return await new Promise((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const { grpcPort } = JSON.parse(line) as { grpcPort?: number };
      if (grpcPort) resolve(`127.0.0.1:${grpcPort}`);
    });
  });
}

/** User and system time of a process, microseconds (clock ticks are 10 ms). */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

// No process sends the holder's heartbeats.
const lease = { HOLDER_LEASE_MS: "3600000" };
const billings: string[] = [];
const meterings: string[] = [];
for (let n = 0; n < pairs; n++)
  billings.push(await start("billing", { MONGODB_DATABASE: `${prefix}b`, KEY_PEPPER: "5a".repeat(32), ...lease }));
for (let n = 0; n < pairs; n++)
  meterings.push(
    await start("metering", {
      MONGODB_DATABASE: `${prefix}m`,
      BILLING_ADDR: billings.join(","),
      STREAM_PREFIX: prefix,
    }),
  );
const [billing = "", metering = ""] = [billings[0], meterings[0]];
const connection = await createConnection(mongodbUrl, { useBigInt64: true }).asPromise();
const engine = await connection.getClient().db("admin").command({ serverStatus: 1 });
const serving = children.map(({ pid }) => pid ?? 0);
const pidsOf = { billing: serving.slice(0, pairs), metering: serving.slice(pairs), mongod: [Number(engine["pid"])] };
const sumOfCpu = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(cpuOf))).reduce((sum, one) => sum + one, 0);
using grants = createRpcClient<GrantServiceServer>(GrantServiceService, billing, insecure);
using usage = createRpcClient<MeteringServiceServer>(MeteringServiceService, metering, insecure);
const log = createLogger({ service: "bench", level: "error" });
const bus = await connectBus({ settings: { NATS_URL: natsUrl }, name: "bench", log });

const money = { available: 10n ** 12n, held: 0n, charged: 0n, writtenOff: 0n, toppedUp: 10n ** 12n };
const ids = Array.from({ length: accountCount }, (_, n) => `acct_${n}`);
const fresh = { name: "", ...money, seq: 0n, head: Buffer.alloc(32), version: 0n, createdAt: new Date() };
await connection
  .useDb(`${prefix}b`)
  .collection("accounts")
  .insertMany(ids.map((_id) => ({ _id, ...fresh })) as never[]);
const grantIds: string[] = [];
for (let n = 0; n < ids.length; n += acquiresAtOnce) {
  const received = ids.slice(n, n + acquiresAtOnce).map((accountId) => ({
    accountId,
    holderId: "h",
    keyId: "",
    requestId: `acq_${accountId}`,
    budgetIds: [],
    taskUntilMs: 0n,
    needNanoUsd: 10n ** 11n,
    wantNanoUsd: 10n ** 11n,
  }));
  const responses = await Promise.all(received.map((request) => grants.acquire(request, { timeoutMs: 30_000 })));
  grantIds.push(...responses.map(({ grantId }) => grantId));
}

const now = BigInt(Date.now());
const all = Array.from({ length: batches * perBatch }, (_, n) => {
  const at = n % accountCount;
  return UsageEvent.fromPartial({
    requestId: `${prefix}${n}`,
    accountId: ids[at] ?? "",
    grantId: grantIds[at] ?? "",
    keyId: `key_${at}`,
    holderId: "h",
    operation: "chat.completions",
    model: `m${n % 3}`,
    upstream: "sim",
    upstreamModel: "m",
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    costNanoUsd: 1_000n,
    priceVersion: "v1",
    status: 200,
    startedAtMs: now,
    endedAtMs: now,
    rawUsage: Buffer.from('{"prompt_tokens":12,"completion_tokens":34}'),
    units: [{ name: "input_tokens", quantity: 12n }],
    holdNanoUsd: 2_000n,
  });
});
/** Batches as publishers build them: one partition each, at most 256 events, oldest first. */
const encoded = [...Map.groupBy(all, ({ accountId }) => partitionOf(accountId))].flatMap(([partition, events]) =>
  Array.from({ length: Math.ceil(events.length / perBatch) }, (_, n) => {
    const batchId = `${prefix}${partition}:${n}`;
    const part = events.slice(n * perBatch, (n + 1) * perBatch);
    const data = UsageBatch.encode({ batchId, holderId: "h", events: part }).finish();
    return { n, batchId, data, subject: usageSubject(prefix, partition) };
  }),
);
encoded.sort((a, b) => a.n - b.n);
if (pairs > 1) await sleep(balanceMs);
const limits = percent > 0 ? await limitProcessors(serving, percent) : undefined;
const cpuBefore = await Promise.all(Object.values(pidsOf).map(sumOfCpu));
const since = performance.now();

for (let n = 0; n < encoded.length; n += publishedAtOnce) {
  const part = encoded.slice(n, n + publishedAtOnce);
  await Promise.all(part.map(({ subject, data }) => bus.connection.jetstream().publish(subject, data)));
}
const batchIds = encoded.map(({ batchId }) => batchId);
while ((await usage.confirmApplied({ batchIds })).applied.length < batchIds.length) await sleep(20);
const seconds = (performance.now() - since) / 1_000;
const count = batches * perBatch;
const used = (await Promise.all(Object.values(pidsOf).map(sumOfCpu))).map((cpu, n) =>
  Math.round((cpu - (cpuBefore[n] ?? 0)) / count),
);
process.stdout.write(
  `${pairs} of billing and of metering${percent > 0 ? `, ${percent} % of a core each` : ""}, ` +
    `${accountCount} accounts, ${count} events in ${seconds.toFixed(1)} s: ${Math.round(count / seconds)} events/s; CPU us an event: ` +
    `${Object.keys(pidsOf)
      .map((name, n) => `${name} ${used[n]}`)
      .join(", ")}\n`,
);
const dbs = ["b", "m"].flatMap((name) => connection.useDb(prefix + name).db ?? []);
process.stdout.write(await bytesARequest(dbs, count));
for (const child of children) child.kill(limits === undefined ? "SIGTERM" : "SIGKILL");
await limits?.[Symbol.asyncDispose]();
for (const name of ["b", "m"]) await connection.useDb(prefix + name).dropDatabase();
await connection.close();
const manager = await bus.connection.jetstreamManager();
for (const name of ["USAGE", "USAGE_DEAD"]) await manager.streams.delete(prefix + name);
await bus[Symbol.asyncDispose]();
