import { setTimeout as sleep } from "node:timers/promises";
import { isDuplicate } from "@uag/mongo/errors.ts";
import type { Store } from "../store/store.ts";
import { type Archive, archiveDue } from "./archive.ts";

const leaseMs = 10 * 60_000;
const leaseId = "archiver";

/** Takes or renews the lease that only one process can hold; returns whether this one holds it. */
async function take({ leases }: Store, owner: string): Promise<boolean> {
  const now = new Date();
  const free = { _id: leaseId, $or: [{ owner }, { until: { $lt: now } }] };
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

async function keepLease(store: Store, owner: string): Promise<void> {
  if (!(await take(store, owner))) throw new Error("another process archives");
}

/** Does `work` as the only archiver; returns undefined when another process is archiving. */
export async function asArchiver<T>(
  store: Store,
  owner: string,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<T | undefined> {
  if (!(await take(store, owner))) return undefined;
  try {
    return await work(() => keepLease(store, owner));
  } finally {
    await store.leases.updateOne({ _id: leaseId, owner }, { $set: { until: new Date(0) } }).catch(() => undefined);
  }
}

/** Archives due months periodically, in every replica; one at a time does the work. */
export function startArchiving(
  archive: Archive,
  options: { readonly owner: string; readonly everyMs: number },
): AsyncDisposable {
  const { store, events } = archive;
  const stopped = new AbortController();
  const { signal } = stopped;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(options.everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await asArchiver(store, options.owner, (keep) => archiveDue(archive, keep)).catch(events.archiveFailed);
    }
  };
  void loop();
  return { [Symbol.asyncDispose]: async () => stopped.abort() };
}
