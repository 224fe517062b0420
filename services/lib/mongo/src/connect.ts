import type { HealthCheck } from "@uag/runtime/health";
import { type Connection, createConnection } from "mongoose";
import { applicationName } from "./abandoned-transactions.ts";

/** Which database to connect to, and how its connections are pooled. */
export interface ConnectOptions {
  readonly url: string;
  readonly database: string;
  /** Prefix of the name under which the server sees this process's connections. */
  readonly service: string;
  readonly maxPoolSize: number;
  /**
   * Read concern of every read outside a snapshot session. Omit it where snapshot sessions are
   * used: the driver would override the session's own with it.
   */
  readonly readConcern?: "majority";
  /** How long a call waits for a primary before it fails, milliseconds. */
  readonly selectionTimeoutMs?: number;
  /** How long a call waits for a free pooled connection, milliseconds; default: indefinitely. */
  readonly poolTimeoutMs?: number;
  /** How long a connection may be silent during a call, milliseconds; 0: indefinitely. */
  readonly socketTimeoutMs?: number;
}

/** Shorter than an election: a longer outage is left to the caller's retry. */
const defaultSelectionTimeoutMs = 2_000;
const defaultSocketTimeoutMs = 20_000;
const pingTimeoutMs = 2_000;

/** Those of `wanted` that the URL says nothing of: options would prevail over it. */
function unlessIn(url: string, wanted: Readonly<Record<string, number>>): Record<string, number> {
  const given = new Set([...new URLSearchParams(url.split("?")[1])].map(([name]) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !given.has(name.toLowerCase())));
}

/**
 * Connects to the replica set; the connection recovers automatically. Int64 is returned as bigint
 * and never as a double, binary as Buffer; writes are acknowledged by a majority's journal. Indexes
 * and collections are created by their owner, not on first use. Timeouts in the URL take
 * precedence.
 * @throws {MongoServerSelectionError} when there is no primary within the selection timeout
 */
export async function connectMongo(options: ConnectOptions): Promise<Connection> {
  const { selectionTimeoutMs = defaultSelectionTimeoutMs, readConcern, poolTimeoutMs } = options;
  const connection = createConnection(options.url, {
    dbName: options.database,
    appName: applicationName(options.service, options.database),
    ...unlessIn(options.url, {
      serverSelectionTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: selectionTimeoutMs,
      ...(poolTimeoutMs !== undefined && { waitQueueTimeoutMS: poolTimeoutMs }),
    }),
    socketTimeoutMS: options.socketTimeoutMs ?? defaultSocketTimeoutMs,
    heartbeatFrequencyMS: 2_000,
    maxPoolSize: options.maxPoolSize,
    useBigInt64: true,
    promoteBuffers: true,
    ...(readConcern !== undefined && { readConcern: { level: readConcern } }),
    writeConcern: { w: "majority", journal: true },
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  });
  return await connection.asPromise();
}

/** Healthy while a server responds within 2 s. */
export function mongoCheck(connection: Connection): HealthCheck {
  return async () => {
    await connection.db?.admin().ping({ timeoutMS: pingTimeoutMs });
    return { ok: true };
  };
}
