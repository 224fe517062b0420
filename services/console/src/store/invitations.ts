import { type Connection, type Model, Schema } from "mongoose";
import { type Role, roles } from "./users.ts";

export interface InvitationDocument {
  readonly _id: string;
  /** SHA-256 of the link's token, which itself is not stored. */
  readonly digest: Buffer;
  readonly email: string;
  readonly role: Role;
  readonly accountId: string | null;
  /** The user who created it. */
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly endsAt: Date;
}

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const schema = new Schema<InvitationDocument>(
  {
    _id: text,
    digest: { type: Buffer, required: true },
    email: text,
    role: { type: String, required: true, enum: roles },
    accountId: { type: String, default: null },
    invitedBy: text,
    createdAt: date,
    endsAt: date,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ digest: 1 }, { unique: true });
schema.index({ accountId: 1, _id: 1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export function invitationModel(connection: Connection): Model<InvitationDocument> {
  return connection.model<InvitationDocument>("Invitation", schema, "invitations");
}
