import { type Connection, type Model, Schema } from "mongoose";

/** One administrative change. Rows are never modified. */
export interface AuditDocument {
  readonly _id: string;
  readonly at: Date;
  readonly actorId: string;
  readonly actorName: string;
  /** The router's id of the request that made the change. */
  readonly requestId: string;
  /** The client's address; absent in older rows. */
  readonly clientAddress?: string;
  readonly action: string;
  readonly targetId: string;
  /** Empty when no account is affected. */
  readonly accountId: string;
  /** JSON objects as text, empty for nothing; may be absent in rows older than the chain. */
  readonly before?: string;
  readonly after?: string;
  /** Position in the chain; absent in rows older than the chain. See audit/chain.ts. */
  readonly seq?: bigint;
  readonly previousHash?: Buffer;
  readonly hash?: Buffer;
}

const text = { type: String, required: true } as const;
const maybe = { type: String, default: "" } as const;

const schema = new Schema<AuditDocument>(
  {
    _id: text,
    at: { type: Date, required: true },
    actorId: text,
    actorName: maybe,
    requestId: maybe,
    clientAddress: maybe,
    action: text,
    targetId: text,
    accountId: maybe,
    before: maybe,
    after: maybe,
    seq: Schema.Types.BigInt,
    previousHash: Buffer,
    hash: Buffer,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ at: -1, _id: -1 });
schema.index({ seq: 1 }, { unique: true, partialFilterExpression: { seq: { $exists: true } } });
schema.index({ targetId: 1, at: -1, _id: -1 });
schema.index({ accountId: 1, at: -1, _id: -1 });

export function auditModel(connection: Connection): Model<AuditDocument> {
  return connection.model<AuditDocument>("AuditRecord", schema, "audit_log");
}
