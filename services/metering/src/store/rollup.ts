import { Schema } from "mongoose";

export type BucketSize = "hour" | "day";

/** What one key used of one model of one provider by one operation in one hour or day (UTC). */
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
  /** The part of the cost that no money covered; absent in most rows. */
  writtenOffNanoUsd?: bigint;
  units: Record<string, bigint>;
  /**
   * The provider that responded, or failed last; "" when none was reached. Absent in older rows.
   */
  upstream?: string;
  /** Failed requests by class; absent in most rows. */
  failures?: Partial<Record<ErrorClass, bigint>>;
  /**
   * Histogram of successful requests by duration (bins: see `histogram.ts`), and of streams by time
   * to first byte.
   */
  latency?: Record<number, bigint>;
  firstByte?: Record<number, bigint>;
}

/** See `Errors` in `proto/metering/v1/metering.proto`. */
export type ErrorClass = "rateLimited" | "clientError" | "upstreamError" | "clientLeft" | "crashed";

/** When a key was last used. */
export interface KeyUseDocument {
  /** The key's id. */
  _id: string;
  lastUsedAt: Date;
}

export const keyUseSchema = new Schema<KeyUseDocument>(
  { _id: { type: String, required: true }, lastUsedAt: { type: Date, required: true } },
  { collection: "keyUse", versionKey: false },
);

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
    upstream: String,
    failures: Schema.Types.Mixed,
    latency: Schema.Types.Mixed,
    firstByte: Schema.Types.Mixed,
  },
  { collection: "rollups", versionKey: false },
);
rollupSchema.index({ bucket: 1, accountId: 1, start: 1, _id: 1 });
rollupSchema.index({ bucket: 1, start: 1, _id: 1 });

/**
 * A request whose cost was added later, because it had no price at first. Kept for ever, so that
 * each counts once.
 */
export interface RepairDocument {
  /** The request's id. */
  _id: string;
  appliedAt: Date;
}

export const repairSchema = new Schema<RepairDocument>(
  { _id: text, appliedAt: { type: Date, required: true } },
  { collection: "repairs", versionKey: false },
);

/** An event that could not be applied, kept until an operator repairs it. */
export interface DeadLetterDocument {
  /** A digest of the event, so that one that arrives repeatedly is stored once. */
  _id: string;
  accountId: string;
  requestId: string;
  batchId: string;
  reason: string;
  /** The original `UsageEvent`, encoded. */
  event: Buffer;
  buriedAt: Date;
  /** The cost set by hand, nano-USD. */
  costNanoUsd?: bigint;
  /** When it was repaired and applied; undefined until then. */
  repairedAt?: Date;
}

export const deadLetterSchema = new Schema<DeadLetterDocument>(
  {
    _id: text,
    accountId: { type: String },
    requestId: { type: String },
    batchId: text,
    reason: text,
    event: { type: Buffer, required: true },
    buriedAt: { type: Date, required: true },
    costNanoUsd: BigInt,
    repairedAt: Date,
  },
  // The stored name of dead letters.
  { collection: "buried", versionKey: false },
);
deadLetterSchema.index({ buriedAt: 1 });

/** A batch of which every event is settled and rolled up, or dead-lettered. */
export interface BatchDocument {
  _id: string;
  appliedAt: Date;
}

/** A metering process. */
export interface MemberDocument {
  _id: string;
  /** By the database's clock. */
  seenAt: Date;
}

const memberTtlSeconds = 3_600;

export const memberSchema = new Schema<MemberDocument>(
  { _id: text, seenAt: { type: Date, required: true } },
  { collection: "members", versionKey: false },
);
memberSchema.index({ seenAt: 1 }, { expireAfterSeconds: memberTtlSeconds });

const batchTtlSeconds = 7 * 86_400;

export const batchSchema = new Schema<BatchDocument>(
  { _id: text, appliedAt: { type: Date, required: true } },
  { collection: "batches", versionKey: false },
);
batchSchema.index({ appliedAt: 1 }, { expireAfterSeconds: batchTtlSeconds });
