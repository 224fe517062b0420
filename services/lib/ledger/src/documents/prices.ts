import { type Connection, type Model, Schema } from "mongoose";

/**
 * Nano-USD per million, by unit. Pairs, because unit names contain characters that field names may
 * not.
 */
type RatePairs = readonly (readonly [unit: string, rate: string])[];

/** A price that was in force at some time. */
export interface PriceDocument {
  /** The price's version. */
  readonly _id: string;
  readonly rates: RatePairs;
  readonly tiers: readonly { readonly aboveInputTokens: bigint; readonly rates: RatePairs }[];
  readonly seenAt: Date;
}

type Rates = ReadonlyMap<string, bigint>;

/** A price as bills are computed with it: nano-USD per million, by unit. */
export interface StoredPrice {
  readonly version: string;
  readonly rates: Rates;
  readonly tiers: readonly { readonly aboveInputTokens: bigint; readonly rates: Rates }[];
}

const ratesOf = (pairs: RatePairs): Rates => new Map(pairs.map(([unit, rate]) => [unit, BigInt(rate)]));

/** The price in a document. */
export const priceOf = ({ _id: version, rates, tiers }: PriceDocument): StoredPrice => ({
  version,
  rates: ratesOf(rates),
  tiers: tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, rates: ratesOf(tier.rates) })),
});

const schema = new Schema<PriceDocument>(
  {
    _id: { type: String, required: true },
    rates: { type: [Schema.Types.Mixed], required: true },
    tiers: {
      type: [{ _id: false, aboveInputTokens: Schema.Types.BigInt, rates: [Schema.Types.Mixed] }],
      required: true,
    },
    seenAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);

export function priceModel(connection: Connection): Model<PriceDocument> {
  return connection.model<PriceDocument>("Price", schema, "prices");
}
