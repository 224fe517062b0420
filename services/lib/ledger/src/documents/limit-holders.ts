import { type Connection, type Model, Schema } from "mongoose";

/** A process that holds permits of limits. */
export interface LimitHolderDocument {
  readonly _id: string;
  readonly leaseUntil: Date;
  /**
   * Its lease expired and its permits were reclaimed. Final: the process continues under a new id.
   */
  readonly lapsed: boolean;
  /** Every pool has reclaimed what the lapsed holder had. */
  readonly swept: boolean;
}

/** A lapsed holder is remembered for longer than any of its calls can be in flight. */
const rememberedSeconds = 3_600;

const schema = new Schema<LimitHolderDocument>(
  {
    _id: { type: String, required: true },
    leaseUntil: { type: Date, required: true },
    lapsed: { type: Boolean, required: true },
    swept: { type: Boolean, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ swept: 1, leaseUntil: 1 });
schema.index({ leaseUntil: 1 }, { expireAfterSeconds: rememberedSeconds });

export function limitHolderModel(connection: Connection): Model<LimitHolderDocument> {
  return connection.model<LimitHolderDocument>("LimitHolder", schema, "limit_holders");
}
