import { type Connection, type Model, Schema } from "mongoose";

/** Permits to fetch URLs that a replica holds. */
export interface FetchLease {
  readonly id: string;
  readonly count: number;
  /** Until then its unused permits may be given back. */
  readonly until: Date;
}

/** An account's budget of fetched URLs: a bucket that refills evenly over an hour. */
export interface FetchBudgetDocument {
  /** The account. */
  readonly _id: string;
  /** Permits left at `at`, with the fraction that has refilled. */
  readonly left: number;
  readonly at: Date;
  readonly leases: readonly FetchLease[];
}

/** A budget is full again after an hour, so older documents are not needed. */
const keptSeconds = 86_400;

const schema = new Schema<FetchBudgetDocument>(
  {
    _id: { type: String, required: true },
    left: { type: Number, required: true },
    at: { type: Date, required: true },
    leases: [
      {
        _id: false,
        id: { type: String, required: true },
        count: { type: Number, required: true },
        until: { type: Date, required: true },
      },
    ],
  },
  { strict: "throw", versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });

export function fetchBudgetModel(connection: Connection): Model<FetchBudgetDocument> {
  return connection.model<FetchBudgetDocument>("FetchBudget", schema, "fetch_budgets");
}
