// Measures how long a stopping replica takes to return all its grants, one for each of many
// accounts. TEST_MONGODB_URL=… TEST_NATS_URL=… node services/lib/usage/bench/stop.ts [grants]
import { billingDatabase, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { request, settlement } from "../test/harness.ts";

const grants = Number(process.argv[2] ?? 100_000);
const atOnce = 512;
const insertedAtOnce = 10_000;
const seconds = (since: number): string => ((performance.now() - since) / 1_000).toFixed(1);

await using backend = await startBackend();
const connection = await billingDatabase(backend);
const funds = { available: 10n ** 12n, held: 0n, charged: 0n, writtenOff: 0n, toppedUp: 10n ** 12n };
const fresh = { name: "", ...funds, seq: 0n, head: Buffer.alloc(32), version: 0n, createdAt: new Date() };
const ids = Array.from({ length: grants }, (_, n) => `acct_${n}`);
for (let n = 0; n < grants; n += insertedAtOnce) {
  const rows = ids.slice(n, n + insertedAtOnce).map((_id) => ({ _id, ...fresh }));
  await connection.collection("accounts").insertMany(rows as never[]);
}
const open = (): Promise<number> => connection.collection("grants").countDocuments({ live: true });

const since = performance.now();
// Longer than taking the grants lasts, so the replica still holds all of them when it stops.
const stopping = await replica(backend.env, { idleMs: 3_600_000 });
for (let n = 0; n < grants; n += atOnce) {
  await Promise.all(
    ids.slice(n, n + atOnce).map(async (id, at) => {
      const admitted = await stopping.admit(request(id, `req_${n + at}`, 1_000n));
      await admitted.settle(settlement(0n));
    }),
  );
}
process.stdout.write(`${await open()} grants taken in ${seconds(since)} s\n`);
const stopped = performance.now();
await stopping[Symbol.asyncDispose]();
process.stdout.write(`stopped after ${seconds(stopped)} s; ${await open()} grants are still open\n`);
await connection.close();
