import { type Connection, type Model, Schema } from "mongoose";

export interface AdminTokenDocument {
  readonly _id: string;
  readonly name: string;
  readonly hint: string;
  /** HMAC-SHA256 of the token, which itself is stored nowhere. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

const text = { type: String, required: true } as const;

const schema = new Schema<AdminTokenDocument>(
  {
    _id: text,
    name: { type: String, default: "" },
    hint: text,
    digest: { type: Buffer, required: true },
    createdAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });

export function adminTokenModel(connection: Connection): Model<AdminTokenDocument> {
  return connection.model("AdminToken", schema, "admin_tokens") as unknown as Model<AdminTokenDocument>;
}
