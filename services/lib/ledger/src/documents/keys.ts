import { type Connection, type Model, Schema } from "mongoose";

export interface LimitsDocument {
  readonly requestsPerMinute: bigint;
  readonly tokensPerMinute: bigint;
  readonly concurrentRequests: bigint;
  readonly monthlyBudgetNanoUsd: bigint;
}

/** A replaced secret that still works for a while. */
interface PreviousSecret {
  readonly digest: Buffer;
  readonly until: Date;
}

/** The envelope that a key belongs to. It never changes. */
export interface KeyEnvelope {
  /** Its id, then those of the envelopes above it. */
  readonly ids: readonly string[];
  /** The key whose limits and budgets it uses, also. */
  readonly rootKeyId: string;
}

export interface KeyDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hint: string;
  /** HMAC-SHA256 of the secret; the secret itself is not stored. */
  readonly digest: Buffer;
  /** Id of the pepper it was hashed with; absent in older keys. */
  readonly pepperId?: string;
  readonly models: string[];
  readonly limits: LimitsDocument;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly version: bigint;
  /** A JSON object as text; absent in older keys. */
  readonly metadata?: string;
  /** The `tags` of `metadata`; absent in keys last changed before tags were stored separately. */
  readonly tags?: readonly string[];
  /** How upstreams are chosen for its requests; empty or absent: by each model's strategy. */
  readonly routingStrategy?: string;
  /** The budget that it shares with others, then those above it; absent: none. */
  readonly budgetIds?: readonly string[];
  /** Absent: it is not the key of an envelope. */
  readonly envelope?: KeyEnvelope;
  /** Oldest first. */
  readonly previous?: readonly PreviousSecret[];
}

const int64 = { type: Schema.Types.BigInt, required: true } as const;
const text = { type: String, required: true } as const;

const limits = new Schema<LimitsDocument>(
  {
    requestsPerMinute: int64,
    tokensPerMinute: int64,
    concurrentRequests: int64,
    monthlyBudgetNanoUsd: int64,
  } satisfies Record<keyof LimitsDocument, unknown>,
  { strict: "throw", _id: false },
);

const envelope = new Schema<KeyEnvelope>(
  { ids: { type: [String], required: true }, rootKeyId: text },
  { strict: "throw", _id: false },
);

const schema = new Schema<KeyDocument>(
  {
    _id: text,
    accountId: text,
    name: { type: String, default: "" },
    hint: text,
    digest: { type: Buffer, required: true },
    pepperId: { type: String, default: "" },
    models: { type: [String], required: true },
    limits: { type: limits, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    version: int64,
    metadata: { type: String, default: "{}" },
    tags: { type: [String], default: undefined },
    routingStrategy: { type: String },
    budgetIds: { type: [String], default: undefined },
    envelope: { type: envelope, default: undefined },
    previous: [{ _id: false, digest: { type: Buffer, required: true }, until: { type: Date, required: true } }],
  } satisfies Record<keyof KeyDocument, unknown>,
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });
schema.index({ "previous.digest": 1 });
schema.index({ accountId: 1, _id: -1 });
schema.index({ accountId: 1, name: 1, _id: 1 });
schema.index({ name: 1, _id: 1 });
schema.index({ tags: 1, _id: 1 });
schema.index({ "envelope.ids": 1 }, { partialFilterExpression: { "envelope.rootKeyId": { $gt: "" } } });
schema.index({ "envelope.rootKeyId": 1 }, { partialFilterExpression: { "envelope.rootKeyId": { $gt: "" } } });
schema.index({ budgetIds: 1 }, { partialFilterExpression: { budgetIds: { $gt: "" } } });

export function keyModel(connection: Connection): Model<KeyDocument> {
  return connection.model<KeyDocument>("Key", schema, "keys");
}
