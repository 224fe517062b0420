import { connectMongo } from "@uag/mongo/connect";
import type { Connection } from "mongoose";

/** Where the books are. */
export interface BooksLocation {
  readonly url: string;
  readonly database: string;
  /**
   * How long a call waits for a primary and for a free connection before it fails, milliseconds.
   * Default 2,000: callers learn of an overloaded database as quickly as of an unreachable one.
   */
  readonly waitMs?: number;
}

const maxPoolSize = 32;
/** An audit takes minutes anyway; a machine that pauses for a few seconds must not end it. */
export const auditWaitMs = 30_000;

/** Connects to the billing database. While it is unreachable, calls fail within `waitMs`. */
export function connectBooks({ url, database, waitMs = 2_000 }: BooksLocation): Promise<Connection> {
  const waits = { selectionTimeoutMs: waitMs, poolTimeoutMs: waitMs };
  return connectMongo({ url, database, service: "billing", maxPoolSize, ...waits });
}
