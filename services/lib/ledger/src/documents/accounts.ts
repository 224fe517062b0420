import type { Account } from "@uag/proto/billing/v1/accounts.ts";
import { type Connection, type Model, Schema } from "mongoose";
import type { AccountState } from "../rules/book.ts";
import type { Money } from "../rules/money.ts";

export interface AccountDocument extends Money {
  readonly _id: string;
  readonly name: string;
  /** Responses under an Idempotency-Key are not stored. */
  readonly keepsNoAnswers?: boolean;
  /** The output of requests that set no limit is capped at what the balance covers. */
  readonly lowersOutputCap?: boolean;
  /** Responses of the Responses API are stored, unless a request has `store: false`. */
  readonly storesResponses?: boolean;
  /** Requests with the account's keys are refused. */
  readonly disabled?: boolean;
  /** See `AccountState`. Absent in accounts older than repayments. */
  readonly repaid?: bigint;
  /** Seq of the account's last ledger row. */
  readonly seq: bigint;
  /** Hash of the account's last ledger row. */
  readonly head: Buffer;
  /** Incremented when a transaction locks the account before reading it: see `readAccounts`. */
  readonly version: bigint;
  readonly createdAt: Date;
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;

const schema = new Schema<AccountDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, default: "" },
    keepsNoAnswers: { type: Boolean },
    lowersOutputCap: { type: Boolean },
    storesResponses: { type: Boolean },
    disabled: { type: Boolean },
    available: int64,
    held: int64,
    charged: int64,
    writtenOff: int64,
    toppedUp: int64,
    repaid: { type: Schema.Types.BigInt },
    seq: int64,
    head: { type: Buffer, required: true },
    version: int64,
    createdAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);

export function accountModel(connection: Connection): Model<AccountDocument> {
  return connection.model<AccountDocument>("Account", schema, "accounts");
}

export function accountState(document: AccountDocument): AccountState {
  const { available, held, charged, writtenOff, toppedUp } = document;
  return {
    id: document._id,
    money: { available, held, charged, writtenOff, toppedUp },
    repaid: document.repaid ?? 0n,
    seq: document.seq,
    head: document.head,
  };
}

export function accountMessage(document: AccountDocument): Account {
  return {
    id: document._id,
    name: document.name,
    availableNanoUsd: document.available,
    heldNanoUsd: document.held,
    chargedNanoUsd: document.charged,
    writtenOffNanoUsd: document.writtenOff,
    toppedUpNanoUsd: document.toppedUp,
    repaidNanoUsd: document.repaid ?? 0n,
    createdAtMs: BigInt(document.createdAt.getTime()),
    keepsNoAnswers: document.keepsNoAnswers ?? false,
    lowersOutputCap: document.lowersOutputCap ?? false,
    storesResponses: document.storesResponses ?? false,
    disabled: document.disabled ?? false,
  };
}
