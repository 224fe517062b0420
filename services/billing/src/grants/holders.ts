import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { HolderDocument } from "@uag/ledger/documents/holders";
import type { Store } from "@uag/ledger/documents/store";
import { mongo } from "mongoose";

/**
 * How long a closed holder's last transactions may still commit: MongoDB lets no transaction run
 * longer than 60 s.
 */
const stragglerMs = 120_000;
const claimMs = 30_000;

/** Leases use the database's clock, so that replicas whose clocks differ agree on who is alive. */
const afterNow = (ms: number) => ({ $add: ["$$NOW", ms] });
const newHolder = (service: string, leaseMs: number) => ({
  service: { $ifNull: ["$service", service] },
  createdAt: { $ifNull: ["$createdAt", "$$NOW"] },
  leaseUntil: afterNow(leaseMs),
  orphanedAt: { $ifNull: ["$orphanedAt", null] },
  closedAt: { $ifNull: ["$closedAt", null] },
  sweepAt: { $ifNull: ["$sweepAt", null] },
});

const pipeline = { updatePipeline: true } as const;

const maxRemembered = 10_000;

/**
 * Registers a holder on first use; a known one, fenced or not, stays as it is. What this process
 * remembers only saves round trips: every transaction reads whether a holder is alive. It writes
 * rather than reads because a majority write that changes nothing waits for what it saw, so a row
 * that a concurrent call just inserted is in every snapshot from then on.
 * https://www.mongodb.com/docs/manual/reference/write-concern/ Concurrent first calls share one
 * write: separate ones would conflict on the same row and occupy connections that other calls need.
 */
export function createRegister(store: Store, leaseMs: number): (holderId: string) => Promise<void> {
  const known = new Map<string, Promise<void>>();

  async function write(holderId: string): Promise<void> {
    const fresh = newHolder("", leaseMs);
    const set = {
      ...fresh,
      state: { $ifNull: ["$state", "alive"] },
      leaseUntil: { $ifNull: ["$leaseUntil", fresh.leaseUntil] },
    };
    try {
      await store.holders.updateOne({ _id: holderId }, [{ $set: set }], { ...pipeline, upsert: true });
    } catch (error) {
      known.delete(holderId);
      throw error;
    }
  }

  return (holderId) => {
    const before = known.get(holderId);
    if (before !== undefined) return before;
    if (known.size >= maxRemembered) known.clear();
    const written = write(holderId);
    known.set(holderId, written);
    return written;
  };
}

/** Renews a holder's lease; false when the holder is fenced. */
export async function beat(store: Store, holder: { id: string; service: string; leaseMs: number }): Promise<boolean> {
  const set = { ...newHolder(holder.service, holder.leaseMs), state: "alive" };
  try {
    await store.holders.updateOne({ _id: holder.id, state: "alive" }, [{ $set: set }], { ...pipeline, upsert: true });
    return true;
  } catch (error) {
    // The upsert conflicts with the holder in another state, or with another first call of the same
    // holder.
    if (!(error instanceof mongo.MongoServerError) || error.code !== 11000) throw error;
    return (await store.holders.exists({ _id: holder.id, state: "alive" })) !== null;
  }
}

/** Fences a holder and marks its grants for release. An unknown one is recorded as closed. */
export async function markClosed(store: Store, holderId: string): Promise<void> {
  if (holderId === "") throw new GatewayError("invalid_request", undefined, { param: "holder_id" });
  const closed = { $in: [{ $ifNull: ["$state", ""] }, ["closed", "gone"]] };
  const set = {
    ...newHolder("", 0),
    state: { $cond: [closed, "$state", "closed"] },
    closedAt: { $cond: [closed, "$closedAt", "$$NOW"] },
    sweepAt: { $cond: [closed, "$sweepAt", "$$NOW"] },
  };
  await store.holders.updateOne({ _id: holderId }, [{ $set: set }], { ...pipeline, upsert: true });
}

/**
 * Reports whether a holder is closed permanently. An unknown one is recorded as closed: it holds
 * nothing and never will.
 */
export async function isGone(store: Store, holderId: string): Promise<boolean> {
  if (holderId === "") throw new GatewayError("invalid_request", undefined, { param: "holder_id" });
  const unknown = { $eq: [{ $type: "$state" }, "missing"] };
  const set = {
    ...newHolder("", 0),
    leaseUntil: { $ifNull: ["$leaseUntil", "$$NOW"] },
    state: { $ifNull: ["$state", "closed"] },
    closedAt: { $cond: [unknown, "$$NOW", "$closedAt"] },
    sweepAt: { $cond: [unknown, "$$NOW", "$sweepAt"] },
  };
  const holder = await store.holders
    .findOneAndUpdate({ _id: holderId }, [{ $set: set }], { ...pipeline, upsert: true, returnDocument: "after" })
    .lean<HolderDocument>();
  return holder !== null && (holder.state === "closed" || holder.state === "gone");
}

const lapsed = { state: "alive", $expr: { $lt: ["$leaseUntil", "$$NOW"] } } as const;
const sweepDue = { state: "closed", $expr: { $lte: ["$sweepAt", "$$NOW"] } } as const;
const orphanedFor = (graceMs: number) =>
  ({ state: "orphaned", $expr: { $lt: [{ $add: ["$orphanedAt", graceMs] }, "$$NOW"] } }) as const;

/**
 * Whether any holder is due to be orphaned, closed or swept: one read instead of three writes that
 * mostly match nothing.
 */
export async function anyDue(store: Store, graceMs: number): Promise<boolean> {
  return (await store.holders.exists({ $or: [lapsed, orphanedFor(graceMs), sweepDue] })) !== null;
}

/** Fences one holder whose lease has expired and returns its id; undefined when there is none. */
export async function orphanOne(store: Store): Promise<string | undefined> {
  const set = { state: "orphaned", orphanedAt: "$$NOW" };
  const holder = await store.holders
    .findOneAndUpdate(lapsed, [{ $set: set }], { ...pipeline, projection: { _id: 1 } })
    .lean<HolderDocument>();
  return holder?._id;
}

/** Closes every holder orphaned for longer than the grace period. */
export async function closeOrphans(store: Store, graceMs: number): Promise<void> {
  const set = { state: "closed", closedAt: "$$NOW", sweepAt: "$$NOW" };
  await store.holders.updateMany(orphanedFor(graceMs), [{ $set: set }], pipeline);
}

/**
 * Claims one closed holder for sweeping, for 30 s; if this replica dies meanwhile, another takes
 * over.
 */
export async function claimSweep(store: Store): Promise<string | undefined> {
  const holder = await store.holders
    .findOneAndUpdate(sweepDue, [{ $set: { sweepAt: afterNow(claimMs) } }], { ...pipeline, projection: { _id: 1 } })
    .lean<HolderDocument>();
  return holder?._id;
}

/**
 * Records that a closed holder's grants are released. It is swept once more after 2 minutes, for a
 * grant whose transaction began before the holder was fenced and committed after its grants were
 * listed; then it is gone.
 */
export async function markSwept(store: Store, holderId: string): Promise<void> {
  const last = { $add: ["$closedAt", stragglerMs] };
  const over = { $gt: ["$$NOW", last] };
  const set = { state: { $cond: [over, "gone", "closed"] }, sweepAt: last };
  await store.holders.updateOne({ _id: holderId, state: "closed" }, [{ $set: set }], pipeline);
}
