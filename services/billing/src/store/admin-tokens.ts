import { AdminRole } from "@uag/proto/billing/v1/admin.ts";
import { type Connection, type Model, Schema } from "mongoose";

export interface AdminTokenDocument {
  readonly _id: string;
  readonly name: string;
  readonly hint: string;
  /** HMAC-SHA256 of the token, which itself is stored nowhere. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** The pepper's id; none in tokens of an older making. */
  readonly pepperId?: string;
  /** None in tokens of an older making: they may do everything. */
  readonly role?: AdminRole;
  /** The one account that it is good for; empty, or none, for all. */
  readonly accountId?: string;
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
    expiresAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });
// The console makes one for each of its users every hour; what became of them is in the audit log.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 30 * 86_400 });

export function adminTokenModel(connection: Connection): Model<AdminTokenDocument> {
  return connection.model<AdminTokenDocument>("AdminToken", schema, "admin_tokens");
}
