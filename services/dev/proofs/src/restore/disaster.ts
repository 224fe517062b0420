import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { MongoClient } from "mongodb";

const engines: ReadonlySet<string> = new Set(["mongod", "nats-server"]);
/** It survives the disaster, because its log is the record of what was served. */
const witness = "simulator";

/** Rejects when the work takes longer, so that a proof does not hang silently. */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`gave up after ${timeoutMs} ms waiting for: ${what}`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}

/** Copies the files of the running database while its writes are blocked. */
export async function backUp({ run, dataDir }: TestFleet, backup: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new MongoClient(run.mongodb_url), (one) => one.close());
  const admin = client.db("admin");
  await admin.command({ fsync: 1, lock: true });
  stack.defer(async () => void (await admin.command({ fsyncUnlock: 1 })));
  await cp(join(dataDir, "mongo"), backup, { recursive: true });
}

/** Kills every process except the simulator; returns how many. */
export async function killAll({ processes }: TestFleet): Promise<number> {
  const names = processes.names().filter((name) => name !== witness);
  for (const name of names.toReversed()) await processes.takeDown(name);
  return names.length;
}

/**
 * Stops every process except the simulator gracefully, each service's replicas together, in the
 * handbook's order; returns how many.
 */
export async function stopAll({ processes }: TestFleet): Promise<number> {
  const names = processes.names().filter((name) => name !== witness);
  const byService = Map.groupBy(names.toReversed(), (name) => name.replace(/-\d+$/, ""));
  for (const replicas of byService.values()) await Promise.all(replicas.map((name) => processes.stop(name)));
  return names.length;
}

/** Deletes the database and these folders, and puts the backup in place. */
export async function putBack(fleet: TestFleet, backup: string, lost: readonly string[]): Promise<void> {
  const { dataDir } = fleet;
  for (const folder of ["mongo", ...lost]) await rm(join(dataDir, folder), { recursive: true });
  await cp(backup, join(dataDir, "mongo"), { recursive: true });
}

/** Starts the engines, then everything else. */
export async function startAll({ processes }: TestFleet): Promise<void> {
  const names = processes.names().filter((name) => name !== witness);
  const first = names.filter((name) => engines.has(name));
  for (const name of [...first, ...names.filter((one) => !engines.has(one))]) await processes.restart(name);
}
