import { setTimeout as sleep } from "node:timers/promises";
import type { Billing } from "../billing.ts";
import { anyDue, claimSweep, closeOrphans, markSwept, orphanOne } from "./holders.ts";
import { releaseHolder, releaseOverdueTasks } from "./release.ts";

type Reaping = Pick<Billing, "store" | "queue" | "events" | "settings">;

/**
 * Fences holders whose lease expired, and releases the money of those that have been dead for long
 * enough.
 */
async function reap(billing: Reaping): Promise<void> {
  if (await anyDue(billing.store, billing.settings.orphanGraceMs)) await reapHolders(billing);
  await releaseOverdueTasks(billing, billing.settings.orphanGraceMs);
}

async function reapHolders(billing: Reaping): Promise<void> {
  const { store, events, settings } = billing;
  for (let id = await orphanOne(store); id !== undefined; id = await orphanOne(store)) events.orphaned(id);
  await closeOrphans(store, settings.orphanGraceMs);
  for (let id = await claimSweep(store); id !== undefined; id = await claimSweep(store)) {
    await releaseHolder(billing, id, "holder gone");
    await markSwept(store, id);
  }
}

/**
 * Reaps periodically, in every replica; each step is claimed or idempotent, so any number may run.
 */
export function startReaper(billing: Reaping): AsyncDisposable {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
  const loop = async (): Promise<void> => {
    // After an outage of billing itself, holders get one lease's time to send a heartbeat.
    await pause(billing.settings.leaseMs);
    while (!signal.aborted) {
      await reap(billing).catch((error: unknown) => billing.events.reapFailed(error));
      await pause(billing.settings.reapIntervalMs * (0.5 + Math.random()));
    }
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await running;
    },
  };
}
