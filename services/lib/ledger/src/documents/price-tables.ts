import { type Connection, type Model, Schema } from "mongoose";

/** What a public table of prices has for one model. */
interface TablePrice {
  readonly provider: string;
  /** The provider's name for the model. */
  readonly model: string;
  /** The vendor's page; empty: unknown. */
  readonly link: string;
  /** Nano-USD. Pairs, because names of units contain characters that field names may not. */
  readonly rates: readonly (readonly [unit: string, nanoUsd: string])[];
  /** The longest input and output, tokens, where the table has them. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** A public table of prices, as it was fetched last. */
export interface PriceTableDocument {
  /** The table's name. */
  readonly _id: string;
  /** Such as `litellm 1.109.1`. */
  readonly origin: string;
  readonly putAt: Date;
  readonly prices: readonly TablePrice[];
}

const text = { type: String, required: true } as const;

const schema = new Schema<PriceTableDocument>(
  {
    _id: text,
    origin: text,
    putAt: { type: Date, required: true },
    prices: {
      type: [
        {
          _id: false,
          provider: text,
          model: text,
          link: { type: String, default: "" },
          rates: [Schema.Types.Mixed],
          contextTokens: Number,
          maxOutputTokens: Number,
        },
      ],
      required: true,
    },
  },
  { strict: "throw", versionKey: false },
);

export function priceTableModel(connection: Connection): Model<PriceTableDocument> {
  return connection.model<PriceTableDocument>("PriceTable", schema, "price_tables");
}
