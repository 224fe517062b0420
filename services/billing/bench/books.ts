/**
 * Measures the ledger's throughput: settles in batches of 256 on one account, and 64 concurrent
 * acquires on one account.
 * `TEST_MONGODB_URL=… TEST_NATS_URL=… node services/billing/bench/books.ts`
 */

import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { newId } from "@uag/runtime/ids";
import {
  acquireFields,
  type Clients,
  connectClients,
  faults,
  fund,
  scratch,
  spawnBilling,
  usage,
} from "../test/harness.ts";

const batchSize = 256;
const batches = 120;
const lanes = 4;
const rounds = 10;
const atOnce = 64;

function percentile(values: number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
}

async function settles(replicas: Clients[], accountId: string): Promise<void> {
  const { grantId } = await (replicas[0] as Clients).grants.acquire(
    acquireFields({ holderId: "bench", accountId, needNanoUsd: 100_000_000n }),
  );
  const work: UsageEvent[][] = Array.from({ length: batches }, () =>
    Array.from({ length: batchSize }, () => usage({ accountId, grantId, costNanoUsd: 100n, holdNanoUsd: 200n })),
  );
  const times: number[] = [];
  const started = performance.now();
  const lane = async (clients: Clients): Promise<void> => {
    for (let events = work.pop(); events !== undefined; events = work.pop()) {
      const sent = performance.now();
      await clients.ledger.settle({ events }, { timeoutMs: 30_000 });
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, i) => lane(replicas[i % replicas.length] as Clients)));
  const rate = (batches * batchSize * 1_000) / (performance.now() - started);
  process.stdout.write(
    `settle, 1 account, ${replicas.length} replica(s), ${lanes} lanes of ${batchSize}: ${rate.toFixed(0)} events/s, ` +
      `p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms a batch\n`,
  );
}

async function acquires(replicas: Clients[], accountId: string): Promise<void> {
  const times: number[] = [];
  const started = performance.now();
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, i) => {
        const sent = performance.now();
        const request = acquireFields({
          holderId: `bench${i % 8}`,
          accountId,
          needNanoUsd: 1_000n,
          wantNanoUsd: 10_000n,
        });
        await (replicas[i % replicas.length] as Clients).grants.acquire(request, { timeoutMs: 30_000 });
        times.push(performance.now() - sent);
      }),
    );
  }
  const rate = (rounds * atOnce * 1_000) / (performance.now() - started);
  process.stdout.write(
    `acquire, 1 account, ${replicas.length} replica(s), ${atOnce} at once: ${rate.toFixed(0)}/s, ` +
      `p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms\n`,
  );
}

await using db = scratch({ HOLDER_LEASE_MS: "600000" });
await using one = await spawnBilling(db.env);
await using two = await spawnBilling(db.env);
using first = connectClients(one.port);
using second = connectClients(two.port);
for (const replicas of [[first], [first, second]]) {
  await settles(replicas, await fund(first, 1_000_000_000_000n, newId("acct")));
  await acquires(replicas, await fund(first, 1_000_000_000_000n, newId("acct")));
}
const started = performance.now();
const found = await faults(first);
process.stdout.write(`audit: ${found.length} violations, ${(performance.now() - started).toFixed(0)} ms\n`);
