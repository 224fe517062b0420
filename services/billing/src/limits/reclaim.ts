import type { LimitHolderDocument } from "@uag/ledger/documents/limit-holders";
import type { LimitPoolDocument } from "@uag/ledger/documents/limit-pools";
import type { Store } from "@uag/ledger/documents/store";
import { forfeit, type Pool } from "@uag/ledger/permits/pool";
import type { ChangePool } from "./change-pool.ts";
import { anyLapsed, lapse, lapsedOf } from "./holders.ts";

/** The cooldown of a used permit. */
const windowMs = 60_000;

/**
 * When the permits of a lapsed holder become free: a per-minute one may have been used up to the
 * end of the lease; a concurrency one is free when the lease ends, because a dead process's
 * requests died with it.
 */
function freeAt(poolId: string, leaseEndMs: number, nowMs: number): number {
  const end = leaseEndMs === 0 ? nowMs : leaseEndMs;
  return poolId.endsWith("/concurrency") ? end : end + windowMs;
}

/** Reclaims what lapsed holders were lent from a pool. */
export function forfeitAll(pool: Pool, poolId: string, lapsed: ReadonlyMap<string, number>, nowMs: number): Pool {
  let after = pool;
  for (const [id, leaseEndMs] of lapsed) after = forfeit(after, id, freeAt(poolId, leaseEndMs, nowMs), nowMs);
  return after;
}

interface Sweeping {
  readonly store: Store;
  readonly changePool: ChangePool;
}

/** Marks these holders as lapsed if overdue, and returns those that are. */
export async function findLapsed(store: Store, ids: readonly string[]): Promise<Map<string, number>> {
  await lapse(store.limitHolders, ids);
  return lapsedOf(store.limitHolders, ids);
}

async function sweepHolder({ store, changePool }: Sweeping, holder: LimitHolderDocument): Promise<void> {
  const lapsed = new Map([[holder._id, holder.leaseUntil.getTime()]]);
  const pools = await store.limitPools.find({ "loans.id": holder._id }, { keyId: 1 }).lean<LimitPoolDocument[]>();
  for (const { _id: id, keyId } of pools) {
    await changePool({ id, keyId }, undefined, (pool, nowMs) => ({
      pool: forfeitAll(pool, id, lapsed, nowMs),
      response: undefined,
    }));
  }
  await store.limitHolders.updateOne({ _id: holder._id, lapsed: true }, { $set: { swept: true } });
}

/** Reclaims the permits of every lapsed holder; returns how many had just lapsed. */
export async function sweepLapsed(sweeping: Sweeping): Promise<number> {
  const { limitHolders } = sweeping.store;
  if (!(await anyLapsed(limitHolders))) return 0;
  const count = await lapse(limitHolders);
  const left = await limitHolders.find({ swept: false, lapsed: true }).limit(100).lean<LimitHolderDocument[]>();
  for (const holder of left) await sweepHolder(sweeping, holder);
  return count;
}

/** Deletes pools that equal a new one and have not changed for ten minutes. */
export async function forgetIdlePools(store: Store): Promise<void> {
  const old = { $lt: ["$changedAt", { $subtract: ["$$NOW", 600_000] }] };
  const lastFreeAtMs = { $max: "$resting.freeAtMs" };
  const rested = { $lt: [lastFreeAtMs, { $subtract: [{ $toLong: "$$NOW" }, windowMs] }] };
  await store.limitPools.deleteMany({ "loans.held": { $not: { $gt: 0 } }, $expr: { $and: [old, rested] } });
}
