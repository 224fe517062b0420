import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@uag/runtime/ids";
import type { mongo } from "mongoose";
import { isDuplicate } from "./errors.ts";

const leaseMs = 10 * 60_000;
const renewAfterMs = leaseMs / 10;
/** How long disposing waits for interrupted work, milliseconds. */
const maxStopMs = 10_000;

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

/** Takes or renews a lease by the database's clock; returns whether the owner holds it. */
async function take({ leases, id }: Lease, owner: string): Promise<boolean> {
  const isFree = { $or: [{ $eq: ["$owner", owner] }, { $lt: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] }] };
  const taken = {
    owner: { $cond: [isFree, owner, "$owner"] },
    until: { $cond: [isFree, { $add: ["$$NOW", leaseMs] }, "$until"] },
  };
  try {
    const after = await leases.findOneAndUpdate({ _id: id }, [{ $set: taken }], {
      upsert: true,
      returnDocument: "after",
    });
    return after?.owner === owner;
  } catch (error) {
    // Another process created the row at the same moment.
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/**
 * Renews the lease when a tenth of it has passed.
 * @throws when another process holds it, or when the work is to stop
 */
function keeper(lease: Lease, owner: string, signal: AbortSignal | undefined): () => Promise<void> {
  let takenAt = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - takenAt < renewAfterMs) return;
    if (!(await take(lease, owner))) throw new Error(`another process holds the lease "${lease.id}"`);
    takenAt = performance.now();
  };
}

/**
 * Does `work` under a lease; returns undefined when another process, or another call in this one,
 * holds it. A lease only avoids repeated work: a paused process may continue after its lease has
 * expired, so `work` must fence its own writes.
 * @param work calls its argument often: it throws when the lease is lost, or `signal` has fired
 */
export async function underLease<T>(
  lease: Lease,
  work: (keep: () => Promise<void>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const owner = newId("lease");
  if (!(await take(lease, owner))) return undefined;
  try {
    return await work(keeper(lease, owner, signal));
  } finally {
    const { leases, id } = lease;
    await leases.updateOne({ _id: id, owner }, { $set: { until: new Date(0) } }).catch(() => undefined);
  }
}

/**
 * Does work periodically, in every replica; one at a time does it. Disposing interrupts the work
 * and releases the lease.
 */
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
      await underLease(lease, options.work, signal).catch((error: unknown) => {
        if (!signal.aborted) options.failed(error);
      });
    }
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      // Work that hangs keeps its lease until that expires.
      await Promise.race([running, sleep(maxStopMs, undefined, { ref: false })]);
    },
  };
}
