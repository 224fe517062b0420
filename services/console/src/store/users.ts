import { type Connection, type Model, Schema } from "mongoose";
import type { KeyLimits } from "../people/key-limits.ts";

/** What a person may do: see people/access.ts. */
export const roles = ["operator", "owner", "member", "auditor"] as const;

export type Role = (typeof roles)[number];

/** An encrypted secret, and the id of the key that encrypts it. */
export interface SealedSecret {
  /** In base64. */
  readonly box: string;
  readonly keyId: string;
}

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
  /** The second factor; absent until it is set up. */
  readonly twoFactor?: {
    readonly sealed: SealedSecret;
    /** The time step of the last code that was used. */
    readonly lastStep: number;
    /** SHA-256 of the recovery codes that are left. */
    readonly recoveryDigests: readonly string[];
  };
  /** A second factor that is being set up. */
  readonly twoFactorPending?: { readonly sealed: SealedSecret; readonly endsAt: Date };
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

const text = { type: String, required: true } as const;

const sealed = { _id: false, box: String, keyId: String } as const;

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
    twoFactor: { type: { _id: false, sealed, lastStep: Number, recoveryDigests: [String] } },
    twoFactorPending: { type: { _id: false, sealed, endsAt: Date } },
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
