import { type WorkerLease, WorkerPool } from "@uag/runtime/concurrency/worker-pool";
import type { PartFindings } from "./audit-part.ts";

/** The database that the threads of an audit read. */
export interface AuditedDatabase {
  readonly url: string;
  readonly database: string;
}

/**
 * Threads that audit accounts by their ids: a single thread reads rows slower than the database
 * delivers them.
 */
export type AuditPool = WorkerPool<readonly string[], PartFindings>;

export type AuditThread = WorkerLease<readonly string[], PartFindings>;

/**
 * Large enough that objects created while reading die young, before the garbage collector copies
 * them.
 */
const maxYoungGenerationSizeMb = 96;

/** @param max each thread takes a database connection and about 150 MB */
export function openAuditPool(max: number, workerData: AuditedDatabase): AuditPool {
  const module = new URL("audit-worker.ts", import.meta.url);
  return new WorkerPool({ module, max, workerData, resourceLimits: { maxYoungGenerationSizeMb } });
}
