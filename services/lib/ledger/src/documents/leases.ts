import type { LeaseDocument } from "@uag/mongo/lease";
import { type Connection, type Model, Schema } from "mongoose";

const schema = new Schema<LeaseDocument>(
  { _id: { type: String, required: true }, owner: String, until: Date },
  { strict: "throw", versionKey: false },
);

export function leaseModel(connection: Connection): Model<LeaseDocument> {
  return connection.model<LeaseDocument>("Lease", schema, "leases");
}
