import { type Connection, type Model, Schema } from "mongoose";
import type { HolderState } from "../rules/grant.ts";

export interface HolderDocument {
  readonly _id: string;
  readonly service: string;
  readonly state: HolderState;
  readonly createdAt: Date;
  readonly leaseUntil: Date;
  readonly orphanedAt: Date | null;
  readonly closedAt: Date | null;
  /** When a closed holder's leftover grants are looked for next. */
  readonly sweepAt: Date | null;
}

const date = { type: Date, default: null } as const;

const schema = new Schema<HolderDocument>(
  {
    _id: { type: String, required: true },
    service: { type: String, default: "" },
    state: { type: String, enum: ["alive", "orphaned", "closed", "gone"], required: true },
    createdAt: { type: Date, required: true },
    leaseUntil: { type: Date, required: true },
    orphanedAt: date,
    closedAt: date,
    sweepAt: date,
  },
  { strict: "throw", versionKey: false },
);
schema.index({ state: 1 }, { partialFilterExpression: { state: { $in: ["alive", "orphaned", "closed"] } } });

export function holderModel(connection: Connection): Model<HolderDocument> {
  return connection.model<HolderDocument>("Holder", schema, "holders");
}
