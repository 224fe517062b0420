import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@uag/kit/bus.ts";
import { randomText } from "@uag/kit/ids.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { insecure } from "@uag/kit/rpc/identity.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, Pricing, UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { createConnection } from "mongoose";

/**
 * Events a second from JetStream to settled and rolled up, with the real billing, MongoDB and NATS:
 * `TEST_MONGODB_URL=… TEST_NATS_URL=… node services/metering/bench/throughput.ts [batches of 256] [accounts]`
 */
const batches = Number(process.argv[2] ?? 200);
const accountCount = Number(process.argv[3] ?? 10);
const perBatch = 256;
const prefix = `bench${randomText(8)}_`;
const [MONGODB_URL = "", NATS_URL = ""] = [process.env["TEST_MONGODB_URL"], process.env["TEST_NATS_URL"]];
const children: ChildProcess[] = [];

async function start(service: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../..", service, "src/main.ts")], {
    env: { ...process.env, MONGODB_URL, NATS_URL, TLS: "off", LOG_LEVEL: "info", ...env },
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
async function cpuOf(child: ChildProcess): Promise<number> {
  const fields = (await readFile(`/proc/${child.pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const billing = await start("billing", { MONGODB_DATABASE: `${prefix}b`, KEY_PEPPER: "5a".repeat(32) });
const metering = await start("metering", {
  MONGODB_DATABASE: `${prefix}m`,
  BILLING_ADDR: billing,
  STREAM_PREFIX: prefix,
});
using accounts = createRpcClient<AccountServiceServer>(AccountServiceService, billing, insecure);
using usage = createRpcClient<MeteringServiceServer>(MeteringServiceService, metering, insecure);
const log = createLogger({ service: "bench", level: "error" });
const bus = await connectBus({ settings: { NATS_URL: NATS_URL }, name: "bench", log });
const ids = await Promise.all(
  Array.from({ length: accountCount }, async (_, n) => {
    const { id } = await accounts.createAccount({ id: "", name: `bench ${n}` });
    await accounts.topUp({ accountId: id, amountNanoUsd: 10n ** 12n, reference: "bench", note: "" });
    return id;
  }),
);
const now = BigInt(Date.now());
const encoded = Array.from({ length: batches }, (_, batch) => {
  const events = Array.from({ length: perBatch }, (_, n) =>
    UsageEvent.fromPartial({
      ...{ requestId: `${prefix}${batch}-${n}`, accountId: ids[n % accountCount] as string, keyId: `key_${n % 20}` },
      ...{ holderId: "h", operation: "chat.completions", model: `m${n % 3}`, upstream: "sim", upstreamModel: "m" },
      ...{ outcome: Outcome.COMPLETED, pricing: Pricing.EXACT, costNanoUsd: 1_000n, priceVersion: "v1", status: 200 },
      ...{ startedAtMs: now, endedAtMs: now, rawUsage: Buffer.from('{"prompt_tokens":12,"completion_tokens":34}') },
      units: [{ name: "input_tokens", quantity: 12n }],
    }),
  );
  return UsageBatch.encode({ batchId: `${prefix}:${batch}`, holderId: "h", events }).finish();
});
const cpuBefore = await Promise.all(children.map(cpuOf));
const since = performance.now();
for (const data of encoded) await bus.connection.jetstream().publish(`${prefix}usage.v1.batch`, data);
const batchIds = encoded.map((_, batch) => `${prefix}:${batch}`);
while ((await usage.confirmApplied({ batchIds })).applied.length < batches) await sleep(20);
const seconds = (performance.now() - since) / 1_000;
const count = batches * perBatch;
const [billingCpu = 0, meteringCpu = 0] = (await Promise.all(children.map(cpuOf))).map(
  (cpu, n) => cpu - (cpuBefore[n] ?? 0),
);
process.stdout.write(
  `${count} events in ${seconds.toFixed(1)} s: ${Math.round(count / seconds)} events/s; CPU an event: metering ${Math.round(meteringCpu / count)} us, billing ${Math.round(billingCpu / count)} us\n`,
);
for (const child of children) child.kill();
const connection = await createConnection(MONGODB_URL).asPromise();
for (const name of ["b", "m"]) await connection.useDb(prefix + name).dropDatabase();
await connection.close();
const manager = await bus.connection.jetstreamManager();
for (const name of ["USAGE", "USAGE_DEAD"]) await manager.streams.delete(prefix + name);
await bus[Symbol.asyncDispose]();
