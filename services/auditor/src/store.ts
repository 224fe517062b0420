import { collectionOf } from "@uag/mongo/collection";
import { connectMongo } from "@uag/mongo/connect";
import type { Connection, mongo } from "mongoose";
import type { CheckpointDocument } from "./checkpoint.ts";
import type { Verdict } from "./verdict.ts";

/** The auditor's own collections. */
export interface AuditStore extends AsyncDisposable {
  readonly connection: Connection;
  readonly checkpoints: mongo.Collection<CheckpointDocument>;
  /** The last verdict of each kind. Billing reads it: rows no audit has seen are not pruned. */
  readonly verdicts: mongo.Collection<Verdict>;
}

const selectionTimeoutMs = 5_000;
const maxPoolSize = 100;

/** Connects to a database for a process that may wait: an audit's reads have no time limit. */
export function connect(url: string, database: string): Promise<Connection> {
  return connectMongo({ url, database, service: "auditor", selectionTimeoutMs, socketTimeoutMs: 0, maxPoolSize });
}

export async function openAuditStore(url: string, database: string): Promise<AuditStore> {
  const connection = await connect(url, database);
  return {
    connection,
    checkpoints: collectionOf<CheckpointDocument>(connection, "checkpoints"),
    verdicts: collectionOf<Verdict>(connection, "verdicts"),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
