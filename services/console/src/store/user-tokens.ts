import { type Connection, type Model, Schema } from "mongoose";

/** A secret of a user that ends. */
export interface UserTokenDocument {
  /** SHA-256 of the secret, in base64url; the secret itself is not stored. */
  readonly _id: string;
  readonly userId: string;
  readonly endsAt: Date;
}

const schema = new Schema<UserTokenDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

/** Browsers in which users have signed in before, by their cookies. */
export function deviceModel(connection: Connection): Model<UserTokenDocument> {
  return connection.model<UserTokenDocument>("Device", schema, "devices");
}

/** Mailed links, each of which sets a new password once, by their tokens. */
export function passwordResetModel(connection: Connection): Model<UserTokenDocument> {
  return connection.model<UserTokenDocument>("PasswordReset", schema, "password_resets");
}
