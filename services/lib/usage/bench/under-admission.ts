// Measures how much of a limit of 600 requests a minute is admitted when demand exceeds it, by one
// replica and by three. TEST_MONGODB_URL=… TEST_NATS_URL=… node
// services/lib/usage/bench/under-admission.ts [minutes]
import { startBackend } from "@uag/harness/backend";
import { busiestMinute, limited, startReplicas } from "../test/limits-replicas.ts";

const perMinute = 600;
const minutes = Number(process.argv[2] ?? 2);

async function measure(count: number): Promise<string> {
  await using backend = await startBackend();
  await using replicas = await startReplicas(backend, await backend.account(1_000_000_000n), count);
  const limits = limited({ requestsPerMinute: perMinute });
  const atOnce = Math.ceil(6 / count);
  // Twice the limit, evenly spread.
  const order = { limits, count: 1_000_000, atOnce, lastsMs: 300, delayMs: 300, untilMs: minutes * 60_000 + 30_500 };
  await Promise.all(Array.from({ length: count }, (_, replica) => replicas.run(replica, order)));
  const first = Math.min(...replicas.spans.map(({ admittedAt }) => admittedAt));
  const lasted = minutes * 60_000;
  const admitted = replicas.spans.filter(({ admittedAt }) => admittedAt < first + lasted).length;
  const under = 100 * (1 - admitted / (perMinute * minutes));
  return `${count} replicas: ${admitted} of ${perMinute * minutes} (${under.toFixed(2)} % under), busiest minute ${busiestMinute(replicas.spans)}`;
}

for (const line of await Promise.all([measure(1), measure(3)])) process.stdout.write(`${line}\n`);
