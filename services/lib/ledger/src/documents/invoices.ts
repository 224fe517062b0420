import { type Connection, type Model, Schema } from "mongoose";

/**
 * The totals of an account's ledger rows of one month, nano-USD: see `Invoice` of
 * `proto/billing/v1/admin.proto`.
 */
export interface InvoiceSums {
  readonly opening: bigint;
  readonly closing: bigint;
  readonly toppedUp: bigint;
  readonly corrected: bigint;
  readonly charged: bigint;
  readonly repaid: bigint;
  readonly writtenOff: bigint;
  readonly lines: readonly { readonly model: string; readonly requests: bigint; readonly charged: bigint }[];
}

/** A month that is closed to new rows. */
export interface InvoiceDocument extends InvoiceSums {
  /** `<account>:<month>` */
  readonly _id: string;
  readonly accountId: string;
  /** As `2027-01`. */
  readonly month: string;
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;
const text = { type: String, required: true } as const;

const schema = new Schema<InvoiceDocument>(
  {
    _id: text,
    accountId: text,
    month: text,
    opening: int64,
    closing: int64,
    toppedUp: int64,
    corrected: int64,
    charged: int64,
    repaid: int64,
    writtenOff: int64,
    lines: {
      type: [{ _id: false, model: { type: String, default: "" }, requests: int64, charged: int64 }],
      required: true,
    },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ accountId: 1, month: 1 }, { unique: true });

export function invoiceModel(connection: Connection): Model<InvoiceDocument> {
  return connection.model<InvoiceDocument>("Invoice", schema, "invoices");
}
