import { type Connection, type Model, Schema } from "mongoose";

/**
 * Where the audit log's chain ends. There is one: two rows that are written at once conflict in it,
 * and one goes again.
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
