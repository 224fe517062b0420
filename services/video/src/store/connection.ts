import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { HealthCheck } from "@uag/kit/health.ts";
import { type Connection, createConnection, mongo } from "mongoose";

const selectionTimeoutMs = 2_000;

/** Connects to the replica set. Int64 comes back as bigint, binary as Buffer; calls fail within 2 s while it is away. */
export async function connectMongo(options: { url: string; database: string }): Promise<Connection> {
  const connection = createConnection(options.url, {
    dbName: options.database,
    appName: "video",
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: 20_000,
    maxPoolSize: 32,
    useBigInt64: true,
    promoteBuffers: true,
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", journal: true },
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

export const duplicateKey = 11_000;

export function isDuplicate(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === duplicateKey;
}

/** What a caller is told of the database's failure. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof mongo.MongoError) || isDuplicate(error)) return error;
  return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: error });
}
