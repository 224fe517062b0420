import { Schema } from "mongoose";

export type BucketSize = "hour" | "day";

/** What one key used of one model by one operation in one hour or day (UTC). */
export interface RollupDocument {
  _id: string;
  bucket: BucketSize;
  start: Date;
  accountId: string;
  keyId: string;
  model: string;
  operation: string;
  requests: bigint;
  costNanoUsd: bigint;
  /** What of the cost no money covered; none in most rows. */
  writtenOffNanoUsd?: bigint;
  units: Record<string, bigint>;
}

const text = { type: String, required: true };

export const rollupSchema = new Schema<RollupDocument>(
  {
    _id: text,
    bucket: text,
    start: { type: Date, required: true },
    accountId: text,
    keyId: text,
    model: text,
    operation: text,
    requests: { type: BigInt, required: true },
    costNanoUsd: { type: BigInt, required: true },
    writtenOffNanoUsd: BigInt,
    units: { type: Schema.Types.Mixed, required: true },
  },
  { collection: "rollups", versionKey: false },
);
rollupSchema.index({ bucket: 1, accountId: 1, start: 1, _id: 1 });
rollupSchema.index({ bucket: 1, start: 1, _id: 1 });

/** A request whose cost was counted later, because it had no price at first. Kept for ever: each counts once. */
export interface RepairDocument {
  /** The request's id. */
  _id: string;
  appliedAt: Date;
}

export const repairSchema = new Schema<RepairDocument>(
  { _id: text, appliedAt: { type: Date, required: true } },
  { collection: "repairs", versionKey: false },
);

/** A batch of which every event is settled and rolled up. */
export interface BatchDocument {
  _id: string;
  appliedAt: Date;
}

const batchTtlSeconds = 7 * 86_400;

export const batchSchema = new Schema<BatchDocument>(
  { _id: text, appliedAt: { type: Date, required: true } },
  { collection: "batches", versionKey: false },
);
batchSchema.index({ appliedAt: 1 }, { expireAfterSeconds: batchTtlSeconds });
