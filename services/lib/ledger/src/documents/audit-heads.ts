import { type Connection, type Model, Schema } from "mongoose";

/**
 * The head of the audit log's chain. There is one document: of two concurrent writes one conflicts
 * on it and is retried.
 */
export interface AuditHeadDocument {
  readonly _id: string;
  readonly seq: bigint;
  readonly hash: Buffer;
}

const schema = new Schema<AuditHeadDocument>(
  {
    _id: { type: String, required: true },
    seq: { type: Schema.Types.BigInt, required: true },
    hash: { type: Buffer, required: true },
  },
  { strict: "throw", versionKey: false },
);

export function auditHeadModel(connection: Connection): Model<AuditHeadDocument> {
  return connection.model<AuditHeadDocument>("AuditHead", schema, "audit_heads");
}
