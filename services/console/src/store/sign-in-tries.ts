import { type Connection, type Model, Schema } from "mongoose";

/** A leaky bucket of attempts to sign in, shared by all replicas. */
export interface SignInTriesDocument {
  /** Digest of the network or name. */
  readonly _id: string;
  /** The bucket's level at `at`. */
  readonly level: number;
  readonly at: Date;
  /** Whether the last attempt was allowed. */
  readonly allowed: boolean;
  /** By then it is empty. */
  readonly endsAt: Date;
}

const date = { type: Date, required: true } as const;

const schema = new Schema<SignInTriesDocument>(
  {
    _id: { type: String, required: true },
    level: { type: Number, required: true },
    at: date,
    allowed: { type: Boolean, required: true },
    endsAt: date,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export function signInTriesModel(connection: Connection): Model<SignInTriesDocument> {
  return connection.model<SignInTriesDocument>("SignInTries", schema, "sign_in_tries");
}
