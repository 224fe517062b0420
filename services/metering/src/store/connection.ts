import type { HealthCheck } from "@uag/kit/health.ts";
import { applicationName } from "@uag/mongo/abandoned-transactions.ts";
import { type Connection, createConnection, mongo } from "mongoose";

const selectionTimeoutMs = 2_000;

/** Connects to the replica set. Int64 comes back as bigint, binary as Buffer; calls fail within 2 s when it is gone. */
export async function connectMongo(options: { url: string; database: string }): Promise<Connection> {
  const connection = createConnection(options.url, {
    dbName: options.database,
    appName: applicationName("metering", options.database),
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: 20_000,
    heartbeatFrequencyMS: 2_000,
    maxPoolSize: 16,
    useBigInt64: true,
    promoteBuffers: true,
    readConcern: { level: "majority" },
    writeConcern: { w: "majority" },
    autoIndex: false,
    bufferCommands: false,
  });
  return await connection.asPromise();
}

export function mongoCheck(connection: Connection): HealthCheck {
  return async () => {
    await connection.db?.admin().ping({ timeoutMS: selectionTimeoutMs });
    return { ok: true };
  };
}

/** Server codes of a replica set that cannot serve just now, and of writers that met: the same work may succeed later. */
const passingCodes = new Set([6, 7, 50, 89, 91, 112, 134, 189, 251, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
const passingNames = new Set([
  "MongoServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoOperationTimeoutError",
  "MongoPoolClearedError",
  "MongoWaitQueueTimeoutError",
  "MongoTopologyClosedError",
]);

/** True for a failure that says nothing about the data: the database is away, or two writers met. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof mongo.MongoError)) return false;
  if (passingNames.has(error.name)) return true;
  if (error.hasErrorLabel("TransientTransactionError") || error.hasErrorLabel("RetryableWriteError")) return true;
  return typeof error.code === "number" && (passingCodes.has(error.code) || error.code === duplicateKey);
}

export const duplicateKey = 11_000;
