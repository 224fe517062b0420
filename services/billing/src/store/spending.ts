import { type Connection, type Model, Schema } from "mongoose";

/** What one key was charged in one calendar month (UTC). */
export interface SpendingDocument {
  /** `<key>/<month>`, the month as `2026-01` */
  readonly _id: string;
  /** Nano-USD. */
  readonly charged: bigint;
}

const schema = new Schema<SpendingDocument>(
  { _id: { type: String, required: true }, charged: { type: Schema.Types.BigInt, required: true } },
  { strict: "throw", versionKey: false },
);

export function spendingModel(connection: Connection): Model<SpendingDocument> {
  return connection.model("Spending", schema, "spending") as unknown as Model<SpendingDocument>;
}

export function spendingId(keyId: string, month: string): string {
  return `${keyId}/${month}`;
}
