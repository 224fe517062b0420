import { type Connection, type Model, Schema } from "mongoose";
import { chainStart } from "../rules/entry.ts";
import { type Grant, type GrantState, isLive } from "../rules/grant.ts";

export interface GrantDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly keyId?: string;
  /** Absent: none. */
  readonly budgetIds?: string[];
  readonly holderId: string;
  readonly requestId: string;
  readonly amount: bigint;
  readonly returned: bigint;
  readonly settled: bigint;
  /** `folded`, `seq` and `head` are absent in grants older than charging to grants alone. */
  readonly folded?: bigint;
  readonly seq?: bigint;
  readonly head?: Buffer;
  readonly state: GrantState;
  /** Open or closed, so that it may still hold money. */
  readonly live: boolean;
  readonly taskUntil: Date | null;
  readonly createdAt: Date;
  /** Set once it is no longer live; absent in grants that ended before pruning existed. */
  readonly endedAt?: Date;
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;
const text = { type: String, required: true } as const;

const schema = new Schema<GrantDocument>(
  {
    _id: text,
    accountId: text,
    keyId: { type: String, default: "" },
    budgetIds: { type: [String], default: undefined },
    holderId: text,
    requestId: text,
    amount: int64,
    returned: int64,
    settled: int64,
    folded: Schema.Types.BigInt,
    seq: Schema.Types.BigInt,
    head: Buffer,
    state: { type: String, enum: ["open", "closed", "finished", "released"], required: true },
    live: { type: Boolean, required: true },
    taskUntil: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    endedAt: Date,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ accountId: 1, requestId: 1 }, { unique: true });
schema.index({ holderId: 1 }, { partialFilterExpression: { live: true } });
schema.index({ taskUntil: 1 }, { partialFilterExpression: { live: true, taskUntil: { $type: "date" } } });
schema.index({ accountId: 1, live: 1, _id: 1 });
schema.index({ endedAt: 1 }, { partialFilterExpression: { live: false } });
schema.index({ accountId: 1, budgetIds: 1 }, { partialFilterExpression: { live: true, budgetIds: { $gt: "" } } });
schema.index({ accountId: 1, keyId: 1 }, { partialFilterExpression: { live: true, keyId: { $gt: "" } } });

export function grantModel(connection: Connection): Model<GrantDocument> {
  return connection.model<GrantDocument>("Grant", schema, "grants");
}

export function grantOf(document: GrantDocument): Grant {
  return {
    id: document._id,
    accountId: document.accountId,
    keyId: document.keyId ?? "",
    budgetIds: document.budgetIds ?? [],
    holderId: document.holderId,
    requestId: document.requestId,
    amount: document.amount,
    returned: document.returned,
    settled: document.settled,
    folded: document.folded ?? document.settled,
    seq: document.seq ?? 0n,
    head: document.head ?? chainStart,
    state: document.state,
    taskUntilMs: document.taskUntil?.getTime() ?? 0,
    createdAtMs: document.createdAt.getTime(),
  };
}

/** @param nowMs the time of the transaction that writes it, Unix milliseconds */
export function grantDocument(grant: Grant, nowMs: number): GrantDocument {
  const live = isLive(grant);
  return {
    _id: grant.id,
    accountId: grant.accountId,
    keyId: grant.keyId,
    ...(grant.budgetIds.length > 0 && { budgetIds: [...grant.budgetIds] }),
    holderId: grant.holderId,
    requestId: grant.requestId,
    amount: grant.amount,
    returned: grant.returned,
    settled: grant.settled,
    folded: grant.folded,
    seq: grant.seq,
    head: grant.head,
    state: grant.state,
    live,
    taskUntil: grant.taskUntilMs === 0 ? null : new Date(grant.taskUntilMs),
    createdAt: new Date(grant.createdAtMs),
    ...(!live && { endedAt: new Date(nowMs) }),
  };
}
