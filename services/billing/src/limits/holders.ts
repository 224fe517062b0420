import type { LimitHolderDocument } from "@uag/ledger/documents/limit-holders";
import type { Model } from "mongoose";
import { mongo } from "mongoose";

type Holders = Model<LimitHolderDocument>;

const pipeline = { updatePipeline: true } as const;

/** Renews a holder's lease, or registers a new holder; false when the holder has lapsed. */
export async function renewLease(holders: Holders, id: string, keptMs: number): Promise<boolean> {
  const set = { leaseUntil: { $add: ["$$NOW", keptMs] }, lapsed: false, swept: false };
  try {
    await holders.updateOne({ _id: id, lapsed: false }, [{ $set: set }], { ...pipeline, upsert: true });
    return true;
  } catch (error) {
    // The upsert conflicts with the holder as lapsed, or with another first call of the same
    // holder.
    if (!(error instanceof mongo.MongoServerError) || error.code !== 11000) throw error;
    return isAlive(holders, id);
  }
}

export async function isAlive(holders: Holders, id: string): Promise<boolean> {
  return (await holders.exists({ _id: id, lapsed: false })) !== null;
}

const overdue = { lapsed: false, swept: false, $expr: { $lt: ["$leaseUntil", "$$NOW"] } };

/** Whether any holder is due to lapse or to be swept. */
export async function anyLapsed(holders: Holders): Promise<boolean> {
  return (await holders.exists({ $or: [overdue, { lapsed: true, swept: false }] })) !== null;
}

/**
 * Marks holders whose lease expired as lapsed: the named ones, or all that are overdue when none
 * are named.
 */
export async function lapse(holders: Holders, ids?: readonly string[]): Promise<number> {
  const filter = ids === undefined ? overdue : { ...overdue, _id: { $in: [...ids] } };
  const { modifiedCount } = await holders.updateMany(filter, { $set: { lapsed: true } });
  return modifiedCount;
}

/**
 * Returns those of the named holders that have lapsed, with the end of their lease in Unix
 * milliseconds; 0 for one that is no longer known.
 */
export async function lapsedOf(holders: Holders, ids: readonly string[]): Promise<Map<string, number>> {
  const known = await holders.find({ _id: { $in: [...ids] } }).lean<LimitHolderDocument[]>();
  const byId = new Map(known.map((holder) => [holder._id, holder]));
  const gone = ids.filter((id) => byId.get(id)?.lapsed ?? true);
  return new Map(gone.map((id) => [id, byId.get(id)?.leaseUntil.getTime() ?? 0]));
}
