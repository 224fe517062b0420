import { type Connection, type Model, Schema } from "mongoose";

/** A price that an operator accepted in the running gateway, not in the catalogue's file. */
export interface AcceptedPriceDocument {
  /** `<model>:<n>`, the model's n-th: of two that are accepted at once, one is refused. */
  readonly _id: string;
  readonly model: string;
  /** A row of `price_versions` in the catalogue, JSON. */
  readonly row: string;
  readonly acceptedAt: Date;
}

const text = { type: String, required: true } as const;

const schema = new Schema<AcceptedPriceDocument>(
  { _id: text, model: text, row: text, acceptedAt: { type: Date, required: true } },
  { strict: "throw", versionKey: false },
);

export function acceptedPriceModel(connection: Connection): Model<AcceptedPriceDocument> {
  return connection.model<AcceptedPriceDocument>("AcceptedPrice", schema, "accepted_prices");
}
