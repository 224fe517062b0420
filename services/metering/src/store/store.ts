import { createUnblocker } from "@uag/mongo/abandoned-transactions";
import { collectionOf } from "@uag/mongo/collection";
import { connectMongo } from "@uag/mongo/connect";
import type { LeaseDocument } from "@uag/mongo/lease";
import { inTransaction } from "@uag/mongo/transaction";
import { type MonthDocument, openPartitions, type Partitions } from "@uag/usage/documents/months";
import { type ClientSession, type Connection, mongo } from "mongoose";
import { type RefusalDocument, type RefusedKeyDocument, refusalSchema, refusedKeySchema } from "./refusals.ts";
import {
  type BatchDocument,
  batchSchema,
  type DeadLetterDocument,
  deadLetterSchema,
  type KeyUseDocument,
  keyUseSchema,
  type MemberDocument,
  memberSchema,
  type RepairDocument,
  type RollupDocument,
  repairSchema,
  rollupSchema,
} from "./rollup.ts";

/**
 * Metering's collections. Hot paths use the plain driver: a document created by a model costs ten
 * times as much.
 */
export interface Store {
  readonly connection: Connection;
  /** Runs `work` in one transaction: see `inTransaction` of `@uag/mongo`. */
  transact<T>(work: (session: ClientSession, again: boolean) => Promise<T>): Promise<T>;
  /** Single events, one collection per month. */
  readonly partitions: Partitions;
  /** Their archived parts. */
  readonly months: mongo.Collection<MonthDocument>;
  readonly leases: mongo.Collection<LeaseDocument>;
  readonly rollups: mongo.Collection<RollupDocument>;
  readonly batches: mongo.Collection<BatchDocument>;
  readonly repairs: mongo.Collection<RepairDocument>;
  readonly deadLetters: mongo.Collection<DeadLetterDocument>;
  readonly members: mongo.Collection<MemberDocument>;
  readonly keyUse: mongo.Collection<KeyUseDocument>;
  /** Refused requests, counted by key, reason and hour. */
  readonly refusals: mongo.Collection<RefusalDocument>;
  readonly refusedKeys: mongo.Collection<RefusedKeyDocument>;
}

const maxPoolSize = 16;
/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const indexOptionsConflict = 85;
const maxMonthSeconds = 31 * 86_400;

/** Connects to metering's database. Calls fail within 2 s while it is unreachable. */
export function connectStore(where: { readonly url: string; readonly database: string }): Promise<Connection> {
  return connectMongo({ ...where, service: "metering", maxPoolSize, readConcern: "majority" });
}

/**
 * Creates missing collections and indexes and sets the expiry of the collection from before monthly
 * partitions.
 */
export async function openStore(connection: Connection, options: { keepMonths: number }): Promise<Store> {
  const models = [
    connection.model<RollupDocument>("Rollup", rollupSchema),
    connection.model<BatchDocument>("Batch", batchSchema),
    connection.model<RepairDocument>("Repair", repairSchema),
    connection.model<DeadLetterDocument>("DeadLetter", deadLetterSchema),
    connection.model<MemberDocument>("Member", memberSchema),
    connection.model<KeyUseDocument>("KeyUse", keyUseSchema),
    connection.model<RefusalDocument>("Refusal", refusalSchema),
    connection.model<RefusedKeyDocument>("RefusedKey", refusedKeySchema),
  ];
  for (const model of models) {
    await model.createCollection();
    await model.ensureIndexes();
  }
  const { db } = connection;
  if (db === undefined) throw new Error("the connection to MongoDB is not open");
  const unblock = createUnblocker(connection, "metering");
  const partitions = await openPartitions(db);
  if (partitions.old !== undefined) await keepOldEventsFor(db, options.keepMonths * maxMonthSeconds);
  return {
    connection,
    transact: (work) => inTransaction({ connection, unblock }, work),
    partitions,
    months: collectionOf<MonthDocument>(connection, "months"),
    leases: collectionOf<LeaseDocument>(connection, "leases"),
    rollups: collectionOf<RollupDocument>(connection, "rollups"),
    batches: collectionOf<BatchDocument>(connection, "batches"),
    repairs: collectionOf<RepairDocument>(connection, "repairs"),
    deadLetters: collectionOf<DeadLetterDocument>(connection, "buried"),
    members: collectionOf<MemberDocument>(connection, "members"),
    keyUse: collectionOf<KeyUseDocument>(connection, "keyUse"),
    refusals: collectionOf<RefusalDocument>(connection, "refusals"),
    refusedKeys: collectionOf<RefusedKeyDocument>(connection, "refusedKeys"),
  };
}

async function keepOldEventsFor(db: mongo.Db, seconds: number): Promise<void> {
  const keys = { endedAt: 1 } as const;
  const options = { expireAfterSeconds: seconds };
  try {
    await db.collection("events").createIndex(keys, options);
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== indexOptionsConflict) throw error;
    await db.command({ collMod: "events", index: { keyPattern: keys, expireAfterSeconds: seconds } });
  }
}
