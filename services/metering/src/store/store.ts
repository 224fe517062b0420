import type { Connection, mongo } from "mongoose";
import { type EventDocument, eventSchema } from "./event.ts";
import {
  type BatchDocument,
  type BuriedDocument,
  batchSchema,
  buriedSchema,
  type MemberDocument,
  memberSchema,
  type RepairDocument,
  type RollupDocument,
  repairSchema,
  rollupSchema,
} from "./rollup.ts";

/** Metering's collections. Hot paths use the driver's own: a document a model makes costs ten times as much. */
export interface Store {
  readonly connection: Connection;
  readonly events: mongo.Collection<EventDocument>;
  readonly rollups: mongo.Collection<RollupDocument>;
  readonly batches: mongo.Collection<BatchDocument>;
  readonly repairs: mongo.Collection<RepairDocument>;
  readonly buried: mongo.Collection<BuriedDocument>;
  readonly members: mongo.Collection<MemberDocument>;
}

const indexOptionsConflict = 85;

/** Makes collections and indexes that are missing and sets how long raw events are kept. */
export async function openStore(connection: Connection, options: { rawUsageTtlDays: number }): Promise<Store> {
  const models = [
    connection.model<EventDocument>("Event", eventSchema),
    connection.model<RollupDocument>("Rollup", rollupSchema),
    connection.model<BatchDocument>("Batch", batchSchema),
    connection.model<RepairDocument>("Repair", repairSchema),
    connection.model<BuriedDocument>("Buried", buriedSchema),
    connection.model<MemberDocument>("Member", memberSchema),
  ];
  for (const model of models) {
    await model.createCollection();
    await model.ensureIndexes();
  }
  const { db } = connection;
  if (db === undefined) throw new Error("the connection to MongoDB is not open");
  await keepEventsFor(db, options.rawUsageTtlDays * 86_400);
  return {
    connection,
    events: db.collection<EventDocument>("events"),
    rollups: db.collection<RollupDocument>("rollups"),
    batches: db.collection<BatchDocument>("batches"),
    repairs: db.collection<RepairDocument>("repairs"),
    buried: db.collection<BuriedDocument>("buried"),
    members: db.collection<MemberDocument>("members"),
  };
}

async function keepEventsFor(db: mongo.Db, seconds: number): Promise<void> {
  const keys = { endedAt: 1 } as const;
  const options = { expireAfterSeconds: seconds };
  try {
    await db.collection("events").createIndex(keys, options);
  } catch (error) {
    if ((error as { code?: number }).code !== indexOptionsConflict) throw error;
    await db.command({ collMod: "events", index: { keyPattern: keys, expireAfterSeconds: seconds } });
  }
}
