import { type Connection, createConnection, type mongo } from "mongoose";
import type { CheckpointDocument } from "./checkpoint.ts";
import type { Verdict } from "./run.ts";

/** The auditor's own collections. */
export interface AuditStore extends AsyncDisposable {
  readonly connection: Connection;
  readonly checkpoints: mongo.Collection<CheckpointDocument>;
  /** The last verdict of each kind. Billing reads it: what no audit has seen is not pruned. */
  readonly verdicts: mongo.Collection<Verdict>;
}

const selectionTimeoutMs = 5_000;

/**
 * Connects to a database for a process that may wait: int64 comes back as bigint, binary as Buffer. It names no read concern: the
 * driver would put it in the place of a snapshot session's own.
 */
export async function connect(url: string, database: string): Promise<Connection> {
  const connection = createConnection(url, {
    dbName: database,
    appName: "auditor",
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    useBigInt64: true,
    promoteBuffers: true,
    writeConcern: { w: "majority" },
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  });
  return await connection.asPromise();
}

export async function openAuditStore(url: string, database: string): Promise<AuditStore> {
  const connection = await connect(url, database);
  const { db } = connection;
  if (db === undefined) throw new Error("the connection to MongoDB is not open");
  return {
    connection,
    checkpoints: db.collection<CheckpointDocument>("checkpoints"),
    verdicts: db.collection<Verdict>("verdicts"),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
