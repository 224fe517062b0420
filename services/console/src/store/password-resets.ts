import { type Connection, type Model, Schema } from "mongoose";

/** A mailed link that sets a new password, once. */
export interface PasswordResetDocument {
  /** SHA-256 of the link's token, in base64url; the token itself is not stored. */
  readonly _id: string;
  readonly userId: string;
  readonly endsAt: Date;
}

const schema = new Schema<PasswordResetDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export function passwordResetModel(connection: Connection): Model<PasswordResetDocument> {
  return connection.model<PasswordResetDocument>("PasswordReset", schema, "password_resets");
}
