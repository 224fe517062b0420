import type { LimitName } from "@uag/contract/messages/billing";
import { type Connection, type Model, Schema } from "mongoose";
import type { Loan, Pool, Resting } from "../permits/pool.ts";

export interface LimitPoolDocument {
  /** `<key>/<limit>` */
  readonly _id: string;
  readonly keyId: string;
  readonly limit: number;
  readonly keyVersion: bigint;
  readonly free: number;
  readonly resting: readonly Resting[];
  readonly loans: readonly (Loan & { readonly id: string })[];
  /** Incremented by every change: a writer must have read the latest. */
  readonly revision: number;
  readonly changedAt: Date;
}

const count = { type: Number, required: true } as const;

const schema = new Schema<LimitPoolDocument>(
  {
    _id: { type: String, required: true },
    keyId: { type: String, required: true },
    limit: count,
    keyVersion: { type: Schema.Types.BigInt, required: true },
    free: count,
    resting: [{ _id: false, count, freeAtMs: count }],
    loans: [
      {
        _id: false,
        id: { type: String, required: true },
        held: count,
        sequence: count,
        lent: [{ _id: false, count, freeInMs: count }],
        answered: { type: Boolean, required: true },
      },
    ],
    revision: count,
    changedAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ "loans.id": 1 });
schema.index({ changedAt: 1 });

export function limitPoolModel(connection: Connection): Model<LimitPoolDocument> {
  return connection.model<LimitPoolDocument>("LimitPool", schema, "limit_pools");
}

export function poolId(keyId: string, limit: LimitName): string {
  return `${keyId}/${limit}`;
}

export function poolOf(document: LimitPoolDocument): Pool {
  const { limit, keyVersion, free, resting, loans } = document;
  return {
    limit,
    keyVersion: BigInt(keyVersion),
    free,
    resting,
    loans: Object.fromEntries(
      loans.map(({ id, held, sequence, lent, answered }) => [id, { held, sequence, lent, answered }]),
    ),
  };
}

/** The pool's own fields as stored. */
export function poolFields(pool: Pool): Pick<LimitPoolDocument, "limit" | "keyVersion" | "free" | "resting" | "loans"> {
  const { limit, keyVersion, free, resting } = pool;
  return { limit, keyVersion, free, resting, loans: Object.entries(pool.loans).map(([id, loan]) => ({ id, ...loan })) };
}
