import { type Connection, type Model, Schema } from "mongoose";
import type { KeyLimits } from "../people/key-limits.ts";

/** What a person may do: see people/access.ts. */
export const roles = ["operator", "owner", "member", "auditor"] as const;

export type Role = (typeof roles)[number];

export interface UserDocument {
  readonly _id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Null for an operator, and for an auditor of all accounts. */
  readonly accountId: string | null;
  /** As sign-in/passwords.ts makes it; null for users of the OpenID Connect provider. */
  readonly password: string | null;
  /**
   * The identity at the OpenID Connect provider, as `<issuer> <subject>`; none for users with a
   * password.
   */
  readonly subject?: string;
  /** BCP 47; null: the browser's own. */
  readonly language: string | null;
  readonly disabled: boolean;
  /** What limits the keys that a member creates; absent for none. */
  readonly keyLimits?: KeyLimits;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

const text = { type: String, required: true } as const;

const schema = new Schema<UserDocument>(
  {
    _id: text,
    email: text,
    name: { type: String, default: "" },
    role: { type: String, required: true, enum: roles },
    accountId: { type: String, default: null },
    password: { type: String, default: null },
    subject: { type: String },
    language: { type: String, default: null },
    keyLimits: { type: Schema.Types.Mixed },
    disabled: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
    lastSignInAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ email: 1 }, { unique: true });
schema.index({ subject: 1 }, { unique: true, partialFilterExpression: { subject: { $type: "string" } } });
schema.index({ accountId: 1, _id: 1 });

export function userModel(connection: Connection): Model<UserDocument> {
  return connection.model<UserDocument>("User", schema, "users");
}
