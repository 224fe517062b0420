import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type LimitPoolDocument, poolFields, poolOf } from "@uag/ledger/documents/limit-pools";
import type { Pool } from "@uag/ledger/permits/pool";
import { isDuplicate } from "@uag/mongo/errors";
import type { Model } from "mongoose";

type Pools = Model<LimitPoolDocument>;

interface PoolChange<A> {
  /** Returning the same object that was passed in means: nothing to write. */
  readonly pool: Pool;
  readonly response: A;
}

export type ChangePool = <A>(
  pool: { readonly id: string; readonly keyId: string },
  /** The pool to create if there is none; undefined: do nothing then. */
  first: Pool | undefined,
  decide: (pool: Pool, nowMs: number) => PoolChange<A>,
) => Promise<A | undefined>;

/**
 * Replicas of billing that write to one pool concurrently: each failed try lost to one that
 * succeeded.
 */
const maxTries = 50;
const backoffMs = 4;

/** Reads the pool with the database's time, so that all replicas use one clock. */
async function read(pools: Pools, id: string): Promise<(LimitPoolDocument & { now: Date }) | undefined> {
  const [found] = await pools.collection
    .aggregate<LimitPoolDocument & { now: Date }>([{ $match: { _id: id } }, { $set: { now: "$$NOW" } }])
    .toArray();
  return found;
}

async function write(pools: Pools, read: LimitPoolDocument, pool: Pool): Promise<boolean> {
  const { matchedCount } = await pools.collection.updateOne({ _id: read._id as never, revision: read.revision }, [
    { $set: { ...literal(poolFields(pool)), revision: read.revision + 1, changedAt: "$$NOW" } },
  ]);
  return matchedCount === 1;
}

/** In an update pipeline a string that begins with `$` would be read as a field name. */
function literal(fields: object): Record<string, { $literal: unknown }> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));
}

async function insert(pools: Pools, pool: { id: string; keyId: string }, first: Pool): Promise<void> {
  const { _id, ...fields } = { _id: pool.id, keyId: pool.keyId, ...poolFields(first), revision: 0 };
  const set = { ...literal(fields), changedAt: "$$NOW" };
  const missing = { _id: _id as never, revision: { $exists: false } };
  await pools.collection.updateOne(missing, [{ $set: set }], { upsert: true }).catch((error: unknown) => {
    // Another replica was faster.
    if (!isDuplicate(error)) throw error;
  });
}

/**
 * Changes one pool by compare-and-set: `decide` gets the pool and the database's time, and runs
 * again when another replica was faster. Within this process changes of one pool are serialized, so
 * that a hot key does not conflict with itself.
 */
export function createChangePool(pools: Pools): ChangePool {
  const lines = new Map<string, Promise<unknown>>();

  const change: ChangePool = async (pool, first, decide) => {
    for (let tries = 1; tries <= maxTries; tries++) {
      const found = await read(pools, pool.id);
      if (found === undefined) {
        if (first === undefined) return undefined;
        await insert(pools, pool, first);
        continue;
      }
      const before = poolOf(found);
      const { pool: after, response } = decide(before, found.now.getTime());
      if (after === before || (await write(pools, found, after))) return response;
      await sleep(Math.random() * backoffMs * Math.min(tries, 8));
    }
    throw new GatewayError("service_unavailable", "Too many concurrent changes to this limit.");
  };

  return (pool, first, decide) => {
    const before = lines.get(pool.id) ?? Promise.resolve();
    const turn = before.then(() => change(pool, first, decide));
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (lines.get(pool.id) === settled) lines.delete(pool.id);
      });
    lines.set(pool.id, settled);
    return turn;
  };
}
