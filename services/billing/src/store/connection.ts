import type { HealthCheck } from "@uag/kit/health.ts";
import { applicationName } from "@uag/mongo/abandoned-transactions.ts";
import { type Connection, createConnection } from "mongoose";

/** How long a call waits for a primary before it fails; what outlasts an ordinary election is left to the caller's retry. */
const selectionTimeoutMs = 2_000;
const socketTimeoutMs = 20_000;

/**
 * Connects to the replica set. Int64 comes back as bigint and never as a double; binary as Buffer. While the database is
 * out of reach calls fail within 2 s, and the connection recovers by itself.
 */
export async function connectMongo(options: { url: string; database: string }): Promise<Connection> {
  const connection = createConnection(options.url, {
    dbName: options.database,
    appName: applicationName("billing", options.database),
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    waitQueueTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: socketTimeoutMs,
    heartbeatFrequencyMS: 2_000,
    maxPoolSize: 32,
    useBigInt64: true,
    promoteBuffers: true,
    writeConcern: { w: "majority" },
    autoIndex: false,
    autoCreate: false,
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
