import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@uag/kit/ids.ts";
import type { mongo } from "mongoose";
import { isDuplicate } from "./errors.ts";

const leaseMs = 10 * 60_000;
const renewAfterMs = leaseMs / 10;

/** A lease for work that only one process at a time may do. */
export interface LeaseDocument {
  _id: string;
  owner: string;
  until: Date;
}

/** Which lease is meant. */
export interface Lease {
  readonly leases: mongo.Collection<LeaseDocument>;
  readonly id: string;
}

/** Takes or renews a lease; returns whether the owner holds it. */
async function take({ leases, id }: Lease, owner: string): Promise<boolean> {
  const now = new Date();
  const free = { _id: id, $or: [{ owner }, { until: { $lt: now } }] };
  const set = { $set: { owner, until: new Date(now.getTime() + leaseMs) } };
  try {
    await leases.updateOne(free, set, { upsert: true });
    return true;
  } catch (error) {
    // Another process holds it: the upsert conflicts with its row.
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Renews the lease when a tenth of it has passed. @throws when another process holds it */
function keeper(lease: Lease, owner: string): () => Promise<void> {
  let takenAt = performance.now();
  return async () => {
    if (performance.now() - takenAt < renewAfterMs) return;
    if (!(await take(lease, owner))) throw new Error(`another process holds the lease "${lease.id}"`);
    takenAt = performance.now();
  };
}

/**
 * Does `work` under a lease; returns undefined when somebody else does, in this process or another.
 * @param work calls its argument often: it throws when the lease is lost
 */
export async function underLease<T>(
  lease: Lease,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<T | undefined> {
  const owner = newId("lease");
  if (!(await take(lease, owner))) return undefined;
  try {
    return await work(keeper(lease, owner));
  } finally {
    const { leases, id } = lease;
    await leases.updateOne({ _id: id, owner }, { $set: { until: new Date(0) } }).catch(() => undefined);
  }
}

/** Does work periodically, in every replica; one at a time does it. */
export function startLeased(
  lease: Lease,
  options: {
    readonly everyMs: number;
    readonly work: (keep: () => Promise<void>) => Promise<unknown>;
    readonly failed: (error: unknown) => void;
  },
): AsyncDisposable {
  const stopped = new AbortController();
  const { signal } = stopped;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(options.everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await underLease(lease, options.work).catch(options.failed);
    }
  };
  void loop();
  return { [Symbol.asyncDispose]: async () => stopped.abort() };
}
