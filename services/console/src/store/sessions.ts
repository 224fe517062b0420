import { type Connection, type Model, Schema } from "mongoose";

/** A token or key created for a session; it is revoked when the session ends. */
export interface DelegatedCredential {
  readonly kind: "token" | "key";
  readonly id: string;
}

export interface SessionDocument {
  readonly _id: string;
  /** SHA-256 of the cookie, which itself is not stored. */
  readonly digest: Buffer;
  readonly userId: string;
  readonly createdAt: Date;
  readonly seenAt: Date;
  /** When it ends if it is not used from now on. */
  readonly endsAt: Date;
  /** When it ends at the latest. */
  readonly endsAtLatest: Date;
  /** Where its sign-in was sent from. */
  readonly address: string;
  readonly userAgent: string;
  readonly borrowed: DelegatedCredential[];
}

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const schema = new Schema<SessionDocument>(
  {
    _id: text,
    digest: { type: Buffer, required: true },
    userId: text,
    createdAt: date,
    seenAt: date,
    endsAt: date,
    endsAtLatest: date,
    address: { type: String, default: "" },
    userAgent: { type: String, default: "" },
    borrowed: { type: [{ _id: false, kind: text, id: text }], default: [] },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });
schema.index({ userId: 1, _id: 1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export function sessionModel(connection: Connection): Model<SessionDocument> {
  return connection.model<SessionDocument>("Session", schema, "sessions");
}
