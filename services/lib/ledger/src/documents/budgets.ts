import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import { type Connection, type Model, Schema } from "mongoose";
import type { BudgetPeriod, SharedBudget } from "../rules/budget.ts";
import type { LimitsDocument } from "./keys.ts";

/** The request with an idempotency key that opened an envelope. */
export interface EnvelopeOpening {
  /** The key that made it, then the digest of its idempotency key. */
  readonly id: string;
  /** Digest of its fields. */
  readonly digest: Buffer;
  /** The envelope's key is derived from this pepper and salt. */
  readonly pepperId: string;
  readonly salt: Buffer;
}

/** What makes a budget an envelope. */
export interface EnvelopeDocument {
  /** Its own key. */
  readonly keyId: string;
  /** The key that it, or the highest envelope above it, was opened with. */
  readonly rootKeyId: string;
  readonly expiresAt: Date;
  readonly closedAt: Date | null;
  /** Absent: it was opened without an idempotency key. */
  readonly opening?: EnvelopeOpening;
}

/** Limits of all keys below a budget together; 0: unlimited. */
export type BudgetLimitsDocument = Omit<LimitsDocument, "monthlyBudgetNanoUsd">;

/** What each end user of the keys below a budget has. */
export interface EndUserDocument {
  /** Nano-USD. */
  readonly amount: bigint;
  readonly period: BudgetPeriod;
  readonly limits: BudgetLimitsDocument;
  /** A request without an end user is refused. */
  readonly required: boolean;
}

/** A budget that keys of an account share, or an envelope: that of one key, and of envelopes below. */
export interface BudgetDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly name: string;
  /** Its own id, then those of the budgets above it, the highest last. It never changes. */
  readonly chain: string[];
  /** Nano-USD. */
  readonly amount: bigint;
  readonly period: BudgetPeriod;
  readonly hard: boolean;
  readonly createdAt: Date;
  /** It still limits requests that were authenticated before. */
  readonly deletedAt: Date | null;
  /** Absent: no limits but its amount. */
  readonly limits?: BudgetLimitsDocument;
  /** The models that the keys below may use; empty or absent: all. */
  readonly models?: readonly string[];
  /** Absent or null: end users have no part of their own. */
  readonly endUsers?: EndUserDocument | null;
  /** Key of the HMAC by which names become pseudonyms; absent before their first rule, and kept after it. */
  readonly endUserSecret?: Buffer;
  /** Rises with every change; absent: it was never changed. */
  readonly version?: bigint;
  /** Absent: it is no envelope. The chain of an envelope has only envelopes. */
  readonly envelope?: EnvelopeDocument;
}

const text = { type: String, required: true } as const;

const bytes = { type: Buffer, required: true } as const;

const int64 = { type: Schema.Types.BigInt, required: true } as const;

const limits = new Schema<BudgetLimitsDocument>(
  { requestsPerMinute: int64, tokensPerMinute: int64, concurrentRequests: int64 } satisfies Record<
    keyof BudgetLimitsDocument,
    unknown
  >,
  { strict: "throw", _id: false },
);

const endUsers = new Schema<EndUserDocument>(
  {
    amount: int64,
    period: { type: String, enum: budgetPeriods, required: true },
    limits: { type: limits, required: true },
    required: { type: Boolean, required: true },
  },
  { strict: "throw", _id: false },
);

const opening = new Schema<EnvelopeOpening>(
  { id: text, digest: bytes, pepperId: { type: String, default: "" }, salt: bytes },
  { strict: "throw", _id: false },
);

const envelope = new Schema<EnvelopeDocument>(
  {
    keyId: text,
    rootKeyId: text,
    expiresAt: { type: Date, required: true },
    closedAt: { type: Date, default: null },
    opening: { type: opening, default: undefined },
  },
  { strict: "throw", _id: false },
);

const schema = new Schema<BudgetDocument>(
  {
    _id: text,
    accountId: text,
    name: { type: String, default: "" },
    chain: { type: [String], required: true },
    amount: { type: Schema.Types.BigInt, required: true },
    period: { type: String, enum: budgetPeriods, required: true },
    hard: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
    limits: { type: limits, default: undefined },
    models: { type: [String], default: undefined },
    endUsers: { type: endUsers, default: undefined },
    endUserSecret: { type: Buffer, default: undefined },
    version: { type: Schema.Types.BigInt },
    envelope: { type: envelope, default: undefined },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ accountId: 1, _id: 1 });
schema.index({ chain: 1 });
schema.index(
  { "envelope.opening.id": 1 },
  { unique: true, partialFilterExpression: { "envelope.opening.id": { $gt: "" } } },
);
schema.index(
  { "envelope.expiresAt": 1, accountId: 1 },
  { partialFilterExpression: { "envelope.rootKeyId": { $gt: "" } } },
);
schema.index({ "envelope.rootKeyId": 1, _id: -1 }, { partialFilterExpression: { "envelope.rootKeyId": { $gt: "" } } });

export function budgetModel(connection: Connection): Model<BudgetDocument> {
  return connection.model<BudgetDocument>("Budget", schema, "budgets");
}

/** When an envelope ends or ended, Unix milliseconds. */
export function envelopeEnd({ expiresAt, closedAt }: EnvelopeDocument): number {
  return Math.min(expiresAt.getTime(), closedAt?.getTime() ?? Number.POSITIVE_INFINITY);
}

/** @param levelId the budget's own, or that of an end user below it, who has what the budget's rule gives */
export function sharedBudgetOf(budget: BudgetDocument, levelId = budget._id): SharedBudget {
  const { _id, name, amount, period, hard, envelope, endUsers } = budget;
  if (levelId !== _id) return { id: levelId, name, ...endUserTerms(endUsers), period: endUsers?.period ?? period };
  const endsAtMs = envelope && { endsAtMs: envelopeEnd(envelope) };
  return { id: _id, name, amount, period, hard, ...endsAtMs };
}

/** A rule that was removed limits nothing. */
const endUserTerms = (rule: EndUserDocument | null | undefined): Pick<SharedBudget, "amount" | "hard"> => ({
  amount: rule?.amount ?? 0n,
  hard: rule !== undefined && rule !== null,
});
