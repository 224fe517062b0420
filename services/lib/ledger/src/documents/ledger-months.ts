import { type Connection, type Model, Schema } from "mongoose";

/** A row's place in the order in which rows are archived. */
export interface LedgerPlace {
  readonly accountId: string;
  readonly seq: bigint;
}

/** Sums over archived rows, nano-USD: the terms of `topped_up = available + held + ...`. */
export interface LedgerAmounts {
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly writtenOffNanoUsd: bigint;
  readonly toppedUpNanoUsd: bigint;
}

/** A file of consecutive rows: those after the previous part, up to `last`. */
export interface LedgerPartDocument {
  readonly key: string;
  readonly rows: bigint;
  readonly bytes: bigint;
  readonly amounts: LedgerAmounts;
  readonly sha256: string;
  readonly last: LedgerPlace;
  readonly archivedAt: Date;
}

/** The archived parts of a month of the ledger. */
export interface LedgerMonthDocument {
  /** As `2026-11`. */
  readonly _id: string;
  /** The oldest month: it also contains all rows with lower numbers. */
  readonly first: boolean;
  readonly parts: readonly LedgerPartDocument[];
  /** When the last of its rows was archived; null: not archived yet. */
  readonly archivedAt: Date | null;
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;
const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const amounts = {
  availableNanoUsd: int64,
  heldNanoUsd: int64,
  chargedNanoUsd: int64,
  writtenOffNanoUsd: int64,
  toppedUpNanoUsd: int64,
};
const part = {
  _id: false,
  key: text,
  rows: int64,
  bytes: int64,
  amounts,
  sha256: text,
  last: { accountId: text, seq: int64 },
  archivedAt: date,
};

const schema = new Schema<LedgerMonthDocument>(
  {
    _id: text,
    first: { type: Boolean, required: true },
    parts: { type: [part], required: true },
    archivedAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);

export function ledgerMonthModel(connection: Connection): Model<LedgerMonthDocument> {
  return connection.model<LedgerMonthDocument>("LedgerMonth", schema, "ledger_months");
}
