import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { type Connection, type Model, Schema } from "mongoose";
import { changeOf } from "../rules/entry.ts";
import type { Money } from "../rules/money.ts";

export interface EntryDocument extends Money {
  readonly _id: string;
  readonly accountId: string;
  readonly seq: bigint;
  readonly kind: string;
  readonly grantId: string;
  readonly requestId: string;
  readonly at: Date;
  readonly event?: UsageEvent;
  readonly note: string;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
  /** Omitted when false or empty, as in most rows and in older ones. */
  readonly ofGrant?: boolean;
  readonly grantHead?: Buffer;
  readonly endsGrant?: boolean;
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;
const bytes = { type: Buffer, required: true } as const;

const schema = new Schema<EntryDocument>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    seq: int64,
    kind: { type: String, required: true },
    available: int64,
    held: int64,
    charged: int64,
    writtenOff: int64,
    toppedUp: int64,
    grantId: String,
    requestId: String,
    at: { type: Date, required: true },
    event: Schema.Types.Mixed,
    note: String,
    previousHash: bytes,
    hash: bytes,
    ofGrant: Boolean,
    grantHead: Buffer,
    endsGrant: Boolean,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ accountId: 1, seq: 1 }, { unique: true });
schema.index({ requestId: 1 }, { name: "unpriced", partialFilterExpression: { "event.pricing": Pricing.UNPRICED } });

export function ledgerModel(connection: Connection): Model<EntryDocument> {
  return connection.model<EntryDocument>("Entry", schema, "ledger");
}

export function entryDocument(entry: Entry): EntryDocument {
  return {
    _id: entry.id,
    accountId: entry.accountId,
    seq: entry.seq,
    kind: entry.kind,
    ...changeOf(entry),
    grantId: entry.grantId,
    requestId: entry.requestId,
    at: new Date(Number(entry.atMs)),
    ...(entry.event !== undefined && { event: storedEvent(entry.event) }),
    note: entry.note,
    previousHash: entry.previousHash,
    hash: entry.hash,
    ...(entry.ofGrant && { ofGrant: true }),
    ...(entry.grantHead.length > 0 && { grantHead: entry.grantHead }),
    ...(entry.endsGrant && { endsGrant: true }),
  };
}

/** Most requests count toward no shared budget. */
function storedEvent(event: UsageEvent): UsageEvent {
  const { budgetIds, ...others } = event;
  return budgetIds.length > 0 ? event : (others as UsageEvent);
}

/** The row as it was hashed. Event fields unknown at its time get their defaults. */
export function entryMessage(document: EntryDocument): Entry {
  return {
    id: document._id,
    accountId: document.accountId,
    seq: document.seq,
    kind: document.kind,
    availableNanoUsd: document.available,
    heldNanoUsd: document.held,
    chargedNanoUsd: document.charged,
    writtenOffNanoUsd: document.writtenOff,
    toppedUpNanoUsd: document.toppedUp,
    grantId: document.grantId,
    requestId: document.requestId,
    atMs: BigInt(document.at.getTime()),
    event: document.event === undefined ? undefined : UsageEvent.fromPartial(document.event),
    note: document.note,
    previousHash: document.previousHash,
    hash: document.hash,
    ofGrant: document.ofGrant ?? false,
    grantHead: document.grantHead ?? Buffer.alloc(0),
    endsGrant: document.endsGrant ?? false,
  };
}
