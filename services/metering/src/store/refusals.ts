import type { RefusalReason } from "@uag/contract/messages/refusals";
import { Schema } from "mongoose";

/** How often a key was refused for one reason in one hour (UTC). */
export interface RefusalDocument {
  /** `<key>/<reason>/<hour in Unix milliseconds>` */
  readonly _id: string;
  readonly hour: Date;
  readonly accountId: string;
  readonly keyId: string;
  readonly reason: RefusalReason;
  readonly count: bigint;
}

/** One refused request. */
export interface RecentRefusal {
  readonly at: Date;
  readonly reason: RefusalReason;
  readonly status: number;
  readonly operation: string;
  readonly model: string;
  readonly message: string;
  readonly requestId: string;
}

/** A key's latest refusals. */
export interface RefusedKeyDocument {
  /** The key's id. */
  readonly _id: string;
  readonly accountId: string;
  readonly lastAt: Date;
  /** Oldest first, at most {@link maxRecent}. */
  readonly recent: readonly RecentRefusal[];
}

/** How many single refusals are kept of a key, and returned by a query. */
export const maxRecent = 100;
const keepSeconds = 90 * 86_400;
const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

export const refusalSchema = new Schema<RefusalDocument>(
  { _id: text, hour: date, accountId: text, keyId: text, reason: text, count: { type: BigInt, required: true } },
  { collection: "refusals", versionKey: false },
);
refusalSchema.index({ accountId: 1, hour: 1 });
refusalSchema.index({ hour: 1 }, { expireAfterSeconds: keepSeconds });

export const refusedKeySchema = new Schema<RefusedKeyDocument>(
  { _id: text, accountId: text, lastAt: date, recent: { type: [Schema.Types.Mixed], required: true } },
  { collection: "refusedKeys", versionKey: false },
);
refusedKeySchema.index({ accountId: 1, lastAt: -1 });
refusedKeySchema.index({ lastAt: -1 }, { expireAfterSeconds: keepSeconds });
