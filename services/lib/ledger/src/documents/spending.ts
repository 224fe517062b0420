import { type Connection, type Model, Schema } from "mongoose";

/** What one key was charged in one calendar month (UTC). */
export interface SpendingDocument {
  /** `<account>/<key>/<month>`, the month as `2026-01`. Formerly `<key>/<month>`; both count. */
  readonly _id: string;
  readonly accountId?: string;
  /** Nano-USD. */
  readonly charged: bigint;
}

const schema = new Schema<SpendingDocument>(
  { _id: { type: String, required: true }, accountId: String, charged: { type: Schema.Types.BigInt, required: true } },
  { strict: "throw", versionKey: false },
);

export function spendingModel(connection: Connection): Model<SpendingDocument> {
  return connection.model<SpendingDocument>("Spending", schema, "spending");
}

export function spendingId(accountId: string, keyId: string, month: string): string {
  return `${accountId}/${keyId}/${month}`;
}

/** The id spending was counted under before it began with the account. */
export function oldSpendingId(keyId: string, month: string): string {
  return `${keyId}/${month}`;
}
