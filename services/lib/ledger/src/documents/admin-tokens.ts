import { AdminRole } from "@uag/proto/billing/v1/admin.ts";
import { type Connection, type Model, Schema } from "mongoose";

export interface AdminTokenDocument {
  readonly _id: string;
  readonly name: string;
  readonly hint: string;
  /** HMAC-SHA256 of the token; the token itself is not stored. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** The pepper's id; absent in older tokens. */
  readonly pepperId?: string;
  /** Absent in older tokens, which may do everything. */
  readonly role?: AdminRole;
  /** The one account it is valid for; empty or absent: all. */
  readonly accountId?: string;
  /** The budget of the account that it is limited to, with those below; empty or absent: the whole account. */
  readonly budgetId?: string;
  readonly expiresAt?: Date | null;
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
    pepperId: { type: String, default: "" },
    role: { type: Number, default: AdminRole.OPERATOR },
    accountId: { type: String, default: "" },
    budgetId: { type: String, default: "" },
    expiresAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });
// The console creates one for each of its users every hour; the audit log keeps their history.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 30 * 86_400 });

export function adminTokenModel(connection: Connection): Model<AdminTokenDocument> {
  return connection.model<AdminTokenDocument>("AdminToken", schema, "admin_tokens");
}
