import type { storedPurposes } from "@uag/contract/requests/files";
import { type Connection, type Model, Schema } from "mongoose";

/** What a file is for. */
export type FilePurpose = (typeof storedPurposes)[number];

/** A file of an account: what is known of it, and where its content is. */
export interface FileDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly filename: string;
  readonly purpose: FilePurpose;
  /** Counts toward the account's space; while it is uploaded, the most that it can have. */
  readonly bytes: number;
  /** Its content in the object store. */
  readonly objectId: string;
  readonly state: "uploading" | "ready" | "removing";
  readonly createdAt: Date;
  /** From then on it does not exist for its owner; absent: until it is deleted. */
  readonly expiresAt?: Date;
  /** When its content may be removed: at its expiry, its deletion, or after an interrupted upload. */
  readonly removeAt?: Date;
  readonly deletedAt?: Date;
}

const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;

const schema = new Schema<FileDocument>(
  {
    _id: text,
    accountId: text,
    keyId: text,
    filename: { type: String, default: "" },
    purpose: text,
    bytes: number,
    objectId: text,
    state: text,
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    removeAt: Date,
    deletedAt: Date,
  },
  { strict: "throw", versionKey: false },
);
// The space that an account uses is summed from the index alone.
schema.index({ accountId: 1, bytes: 1 });
schema.index({ accountId: 1, _id: -1 });
schema.index({ removeAt: 1 }, { partialFilterExpression: { removeAt: { $type: "date" } } });

/** The collection of files' metadata. */
export function fileModel(connection: Connection): Model<FileDocument> {
  return connection.model<FileDocument>("File", schema, "files");
}
