import { type Connection, type Model, Schema } from "mongoose";

/** A browser in which a user has signed in before. */
export interface DeviceDocument {
  /** SHA-256 of the cookie, in base64url; the cookie itself is not stored. */
  readonly _id: string;
  readonly userId: string;
  readonly endsAt: Date;
}

const schema = new Schema<DeviceDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export function deviceModel(connection: Connection): Model<DeviceDocument> {
  return connection.model<DeviceDocument>("Device", schema, "devices");
}
